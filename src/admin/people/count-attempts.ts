import { listSubjects, type SignInAttempt } from '../../access/people/sign-in-throttle.ts'
import type { PeopleContext } from './people-context.ts'

type Counted = Pick<PeopleContext, 'stores' | 'throttle'>

/** Counts an attempt as failed until it succeeds, in addition to the attempts that other processes counted. */
export function beginAttempt(attempt: SignInAttempt, context: Counted): Promise<void> {
  return change(attempt, context, () => context.throttle.begin(attempt))
}

/** Removes the failure of an attempt, which another process may have started. */
export function succeedAttempt(attempt: SignInAttempt, context: Counted): Promise<void> {
  return change(attempt, context, () => context.throttle.succeed(attempt))
}

/** Reads and writes in one transaction, so that no two concurrent attempts start from the same count. */
function change(attempt: SignInAttempt, { stores, throttle }: Counted, work: () => void): Promise<void> {
  return stores.failures.change(listSubjects(attempt), (stored) => {
    throttle.adopt(attempt, stored)
    work()
    return throttle.drainUnsaved()
  })
}
