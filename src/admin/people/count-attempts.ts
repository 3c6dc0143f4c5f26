import { listSubjects, type SignInAttempt } from '../../access/people/sign-in-throttle.ts'
import type { PeopleContext } from './people-context.ts'

type Counted = Pick<PeopleContext, 'stores' | 'throttle'>

/** Counts an attempt as failed until it succeeds, on top of those that other processes have counted. */
export async function beginAttempt(attempt: SignInAttempt, context: Counted): Promise<void> {
  await adoptStored(attempt, context)
  context.throttle.begin(attempt)
  await context.stores.failures.write(context.throttle.drainUnsaved())
}

/** Takes back the failure of an attempt, which another process may have begun. */
export async function succeedAttempt(attempt: SignInAttempt, context: Counted): Promise<void> {
  await adoptStored(attempt, context)
  context.throttle.succeed(attempt)
  await context.stores.failures.write(context.throttle.drainUnsaved())
}

async function adoptStored(attempt: SignInAttempt, { stores, throttle }: Counted): Promise<void> {
  throttle.adopt(attempt, await stores.failures.find(listSubjects(attempt)))
}
