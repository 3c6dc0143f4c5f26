import { describe, expect, it } from 'vitest'
import { AnswerBudget } from './answer-budget.ts'

const KILOBYTE = 1_024

describe('the room for answers in progress', () => {
  it('is granted until it is used up, and again after a release', () => {
    const budget = new AnswerBudget({ heldAnswerBytes: 1_000 * KILOBYTE })
    const [first, second] = [budget.open(), budget.open()]
    expect([first.resize(500 * KILOBYTE), second.resize(500 * KILOBYTE)]).toEqual([true, false])
    first.release()
    first.release()
    expect([budget.heldBytes, second.resize(500 * KILOBYTE)]).toEqual([0, true])
  })

  it('reserves a part for small answers', () => {
    const budget = new AnswerBudget({ heldAnswerBytes: 1_000 * KILOBYTE })
    expect(budget.open().resize(800 * KILOBYTE)).toBe(true)
    expect(budget.open().resize(100 * KILOBYTE)).toBe(false)
    expect(budget.open().resize(60 * KILOBYTE)).toBe(true)
  })

  it('always regains the room that an answer no longer uses', () => {
    const room = { heldAnswerBytes: 1_000 * KILOBYTE }
    const budget = new AnswerBudget(room)
    const hold = budget.open()
    budget.open().resize(400 * KILOBYTE)
    hold.resize(400 * KILOBYTE)
    room.heldAnswerBytes = 500 * KILOBYTE
    expect([hold.resize(300 * KILOBYTE), budget.heldBytes]).toEqual([true, 700 * KILOBYTE])
  })

  it('adds a finished large answer to the dead buffers, but not a small one', () => {
    const added: number[] = []
    const budget = new AnswerBudget(
      { heldAnswerBytes: 1_000 * KILOBYTE },
      { add: (bytes) => added.push(bytes) },
    )
    for (const kilobytes of [64, 65]) {
      const hold = budget.open()
      hold.resize(kilobytes * KILOBYTE)
      hold.release()
      hold.release()
    }
    expect(added.filter((bytes) => bytes > 0)).toEqual([65 * KILOBYTE])
  })
})
