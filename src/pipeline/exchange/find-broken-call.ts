import { createFailure, type Failure } from '../../canonical/failure.ts'
import type { Loss } from '../../canonical/loss.ts'
import type { Choice } from '../../canonical/reply.ts'

/**
 * An answer that asks for a tool to be run with an input that the caller's format could only make up: an agent would
 * run it. Where the answer was cut by its length, no client runs it.
 */
export function findBrokenCall(
  { choices }: { readonly choices: readonly Pick<Choice, 'stopReason'>[] },
  losses: readonly Loss[],
): Failure | undefined {
  const isMadeUp = losses.some(({ feature }) => feature === 'tool-input')
  if (!isMadeUp || !choices.some(({ stopReason }) => stopReason === 'tool-calls')) return undefined
  return createFailure('upstream_bad_response', {
    message: 'The model provider sent a tool call whose arguments are not a JSON object.',
  })
}
