import type { ExecutionRequest } from '@triton-ts/core/backend'
import type { Lingering } from './lingering.ts'
import { RequestSlot, type SlotOwner } from './request-slot.ts'
import type { Run } from './run.ts'

/** The requests that libraries have, by number; the numbers are small, and used again once a request is through. */
export class RequestSlots {
  /** By number. There is no request 0. */
  readonly #slots: (RequestSlot | undefined)[] = [undefined]
  readonly #free: RequestSlot[] = []

  take(request: ExecutionRequest, run: Run, owner: SlotOwner): RequestSlot {
    const slot = this.#free.pop() ?? this.#add(owner)
    slot.begin(request, run)
    return slot
  }

  find(number: number): RequestSlot | undefined {
    return this.#slots[number]
  }

  /** Of one instance. */
  *ofInstance(id: number): Iterable<RequestSlot> {
    for (const slot of this.#slots) if (slot?.run?.instanceId === id) yield slot
  }

  /** A slot that is through. */
  give(slot: RequestSlot): void {
    slot.forget()
    this.#free.push(slot)
  }

  /** The same, but it still hears reports for a moment. */
  giveLater(slot: RequestSlot, lingering: Lingering): void {
    lingering.add({ forget: () => this.give(slot) })
  }

  /** A slot whose number a library may still know. */
  drop(slot: RequestSlot): void {
    slot.forget()
    this.#slots[slot.number] = undefined
  }

  #add(owner: SlotOwner): RequestSlot {
    const slot = new RequestSlot(this.#slots.length, owner)
    this.#slots.push(slot)
    return slot
  }
}
