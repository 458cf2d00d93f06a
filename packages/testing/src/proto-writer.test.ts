import { expect, test } from 'vitest'
import { ProtoWriter } from './proto-writer.ts'

const bytes = (writer: ProtoWriter) => [...writer.toBytes()]

test('varints, negative ones in ten bytes', () => {
  expect(bytes(new ProtoWriter().integer(1, 150))).toEqual([0x08, 0x96, 0x01])
  expect(bytes(new ProtoWriter().integer(20, 0))).toEqual([0xa0, 0x01, 0])
  expect(bytes(new ProtoWriter().integer(1, -1))).toEqual([0x08, ...Array(9).fill(0xff), 0x01])
})

test('floats, texts and nested messages', () => {
  expect(bytes(new ProtoWriter().float(2, 1))).toEqual([0x15, 0, 0, 0x80, 0x3f])
  expect(bytes(new ProtoWriter().text(2, 'é'))).toEqual([0x12, 2, 0xc3, 0xa9])
  expect(bytes(new ProtoWriter().message(3, new ProtoWriter().integer(1, 1)))).toEqual([0x1a, 2, 0x08, 1])
})
