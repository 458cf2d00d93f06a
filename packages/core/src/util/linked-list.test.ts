import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Linked, LinkedList } from './linked-list.ts'

class Item implements Linked<Item> {
  list: LinkedList<Item> | undefined
  previous: Item | undefined
  next: Item | undefined
}

test('behaves as an array does', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9), { maxLength: 100 }), (steps) => {
      const items = Array.from({ length: 10 }, () => new Item())
      const list = new LinkedList<Item>()
      let model: Item[] = []
      for (const step of steps) {
        const item = items[step] as Item
        if (model.includes(item)) {
          expect(list.remove(item)).toBe(true)
          model = model.filter((other) => other !== item)
        } else {
          expect(list.remove(item)).toBe(false)
          list.push(item)
          model.push(item)
        }
        expect([...list]).toEqual(model)
        expect(list.first).toBe(model[0])
        expect(list.length).toBe(model.length)
      }
    }),
  )
})

test('an item of another list is not here', () => {
  const [one, two] = [new LinkedList<Item>(), new LinkedList<Item>()]
  const item = new Item()
  one.push(item)
  expect(two.remove(item)).toBe(false)
  expect(one.length).toBe(1)
})
