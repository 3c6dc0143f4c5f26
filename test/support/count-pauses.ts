import type { Steps } from '../../src/kit/async/steps.ts'

/** The result of steps, and how often others had their turn between them. */
export function countPauses<Value>(steps: Steps<Value>): { readonly value: Value; readonly pauses: number } {
  let pauses = 0
  for (let next = steps.next(); ; next = steps.next(), pauses += 1)
    if (next.done === true) return { value: next.value, pauses }
}
