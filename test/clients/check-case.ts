import { existsSync, readFileSync } from 'node:fs'
import { errorTable } from '../../src/canonical/error-table.ts'
import { type AgentTask, finalText, payloadMark } from '../support/agent/agent-script.ts'
import type { AgentUsage } from '../support/agent/conversation.ts'
import type { AgentExchange, AgentUpstream } from '../support/agent-upstream.ts'
import { expectedBytes } from './case-folders.ts'
import type { ClientOutcome, ClientUsage } from './client.ts'

/** The facts that can be looked at when the client has ended. */
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

/**
 * The task is done with the broken answer asked for once more, or the client says that it failed. Some keep a call of
 * the broken answer in the conversation as one that was not made; made it must not be.
 */
export function checkTaskOrFailure({ outcome, exchanges, task }: Seen): readonly string[] {
  const refused = checkExchanges(exchanges, undefined)
  if (outcome.problems.length > 0 && !existsSync(task.write)) return refused
  const last = exchanges.findLast(isStep)
  const results = last?.conversation?.rounds.flatMap((round) => round.results) ?? []
  const read = results.filter(({ text }) => text.includes(payloadMark)).length
  return [
    ...outcome.problems,
    ...refused,
    ...checkFile(task.write),
    ...checkShown(outcome, finalText),
    ...(read === task.read.length ? [] : [`${read} files were read in the whole conversation`]),
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

/** Whether a request is a step of the task: one without tools, such as for a title, is not. */
function isStep({ conversation }: AgentExchange): boolean {
  return conversation !== undefined && conversation.tools.length > 0
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
  const steps = exchanges.filter(isStep).flatMap(({ conversation }) => conversation ?? [])
  const whole = steps.filter(({ isStream }) => !isStream).length
  const counts = steps.map(({ rounds }) => rounds.map(({ results }) => results.length).join('+'))
  if (wanted === undefined) return refused
  return [
    ...refused,
    ...(counts.join() === wanted.join() ? [] : [`tool results by round were ${JSON.stringify(counts)}`]),
    ...(whole === 0 ? [] : [`${whole} requests asked for no stream`]),
  ]
}

/** Clients break lines where they like and escape what they show as JSON. */
export function checkShown({ shown }: Pick<ClientOutcome, 'shown'>, words: string): readonly string[] {
  const flat = (text: string) => text.replaceAll(/[\s"\\]+|\\n/g, '')
  return flat(shown).includes(flat(words)) ? [] : [`did not show "${words}" but: ${shown.slice(-1_500)}`]
}

/** Checks that the client counts what the upstream said, class by class; titles and the like stand beside it. */
function checkUsage(
  reported: ClientUsage | undefined,
  exchanges: readonly AgentExchange[],
): readonly string[] {
  if (reported === undefined) return []
  const used = exchanges.filter(isStep).flatMap(({ usage }) => usage ?? [])
  const sumOf = (read: (usage: AgentUsage) => number) => used.reduce((sum, each) => sum + read(each), 0)
  const sent = {
    input: sumOf(({ freshInput, cacheRead, cacheWrite }) => freshInput + cacheRead + cacheWrite),
    output: sumOf(({ output }) => output),
    cacheRead: sumOf(({ cacheRead }) => cacheRead),
    cacheWrite: sumOf(({ cacheWrite }) => cacheWrite),
  }
  const classes = ['input', 'output', 'cacheRead', 'cacheWrite'] as const
  return classes.flatMap((name) =>
    reported[name] === undefined || reported[name] === sent[name]
      ? []
      : [`reports ${reported[name]} tokens of ${name}, the upstream sent ${sent[name]}`],
  )
}
