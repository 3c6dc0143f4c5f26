import { existsSync, readFileSync } from 'node:fs'
import { errorTable } from '../../src/canonical/error-table.ts'
import { type AgentTask, finalText } from '../support/agent/agent-script.ts'
import type { AgentExchange, AgentUpstream } from '../support/agent-upstream.ts'
import { expectedBytes } from './case-folders.ts'
import type { ClientOutcome, ClientUsage } from './client.ts'

/** What can be looked at when the client has ended. */
export interface Seen {
  readonly outcome: ClientOutcome
  readonly exchanges: readonly AgentExchange[]
  readonly task: AgentTask
}

const HANG_UP_WITHIN_MS = 1_000
const roundsOfTask = ['', '2', '2+1']

/** The task is done in three steps, and all that was shown and counted is right. */
export function checkTask({ outcome, exchanges, task }: Seen): readonly string[] {
  return [
    ...outcome.problems,
    ...checkFile(task.write),
    ...checkExchanges(exchanges, roundsOfTask),
    ...checkShown(outcome, finalText),
    ...checkUsage(outcome.usage, exchanges),
  ]
}

/** The task is done with the broken answer asked for once more, or the client says that it failed. */
export function checkTaskOrFailure({ outcome, exchanges, task }: Seen): readonly string[] {
  const refused = checkExchanges(exchanges, undefined)
  if (outcome.problems.length > 0 && !existsSync(task.write)) return refused
  // Nothing of the broken answer may be in the conversation that follows.
  return [
    ...outcome.problems,
    ...checkFile(task.write),
    ...checkExchanges(exchanges, ['', ...roundsOfTask]),
    ...checkShown(outcome, finalText),
  ]
}

/** The client failed, showed the gateway's words, and nothing went to the upstream. */
export function checkRefusal({ outcome, exchanges }: Seen): readonly string[] {
  return [
    ...(outcome.problems.length > 0 ? [] : ['ended as if all were well']),
    ...checkShown(outcome, errorTable.invalid_api_key.message),
    ...(exchanges.length === 0 ? [] : [`the upstream got ${exchanges.length} requests`]),
  ]
}

/** The gateway hung up on the upstream soon after the client was gone. */
export async function checkHangUp(
  stopped: AgentUpstream['stopped'],
  killedAtMs: number,
): Promise<readonly string[]> {
  const { request } = await stopped
  const tooLate = new Promise<void>((wake) => setTimeout(wake, HANG_UP_WITHIN_MS).unref())
  await Promise.race([request.closed, tooLate])
  const tookMs = (request.abortedAtMs ?? Number.POSITIVE_INFINITY) - killedAtMs
  if (tookMs >= 0 && tookMs <= HANG_UP_WITHIN_MS) return []
  return [`the call to the upstream ended ${tookMs.toFixed(0)} ms after the client`]
}

function checkFile(path: string): readonly string[] {
  try {
    const written = readFileSync(path)
    return written.equals(expectedBytes)
      ? []
      : [`wrote other bytes than were read: ${JSON.stringify(written.toString())}`]
  } catch {
    return ['did not write the third file']
  }
}

/** `wanted`: the numbers of tool results by round, for each request in turn; undefined where anything may be. */
function checkExchanges(
  exchanges: readonly AgentExchange[],
  wanted: readonly string[] | undefined,
): readonly string[] {
  const refused = exchanges
    .filter(({ status }) => status !== 200)
    .map(({ status, refusal }) => `the upstream refused a request with ${status}: ${refusal}`)
  const steps = exchanges.flatMap(({ conversation }) =>
    conversation !== undefined && conversation.tools.length > 0 ? [conversation] : [],
  )
  const whole = steps.filter(({ isStream }) => !isStream).length
  const counts = steps.map(({ rounds }) => rounds.map(({ results }) => results.length).join('+'))
  return [
    ...refused,
    ...(wanted === undefined || counts.join() === wanted.join()
      ? []
      : [`tool results by round were ${JSON.stringify(counts)}`]),
    ...(wanted === undefined || wanted.length > roundsOfTask.length || whole === 0
      ? []
      : [`${whole} requests asked for no stream`]),
  ]
}

/** Clients break lines where they like and escape what they show as JSON. */
function checkShown({ shown }: ClientOutcome, words: string): readonly string[] {
  const flat = (text: string) => text.replaceAll(/[\s"\\]+|\\n/g, '')
  return flat(shown).includes(flat(words)) ? [] : [`did not show "${words}" but: ${shown.slice(-1_500)}`]
}

/** What the client counts must be what the upstream said, class by class. */
function checkUsage(
  reported: ClientUsage | undefined,
  exchanges: readonly AgentExchange[],
): readonly string[] {
  if (reported === undefined) return []
  const classes = ['freshInput', 'cacheRead', 'cacheWrite', 'output'] as const
  return classes.flatMap((name) => {
    const sent = exchanges.reduce((sum, { usage }) => sum + (usage?.[name] ?? 0), 0)
    return sent === reported[name]
      ? []
      : [`reports ${reported[name]} tokens of ${name}, the upstream sent ${sent}`]
  })
}
