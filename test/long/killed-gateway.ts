// What the suites share that kill a gateway under load: its keys, a provider that takes its time, what callers send,
// and what the ledger says afterwards.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '../../src/kit/random/random.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { jsonAnswer, openScriptedUpstream, sseAnswer } from '../support/scripted-upstream.ts'

export const keys = { exact: 'sk-exact-0123456789abcdef', free: 'sk-free-0123456789abcdef' } as const
export type KeyName = keyof typeof keys

const head = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm' }
const frames = [
  { ...head, choices: [{ index: 0, delta: { content: 'Hi' } }] },
  { ...head, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  { ...head, choices: [], usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 } },
].map((frame) => `data: ${JSON.stringify(frame)}\n\n`)

const whole = {
  ...head,
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 },
}

/** One model with a price, a key under an exact budget and one without any; the upstream is the channel `first`. */
export function writeKilledGateway(origin: string, limitUsd: number): string {
  return `log: { level: silent }
keys:
  - { name: exact, secret: ${keys.exact}, budgets: [{ limit_usd: ${limitUsd}, window: total, mode: exact }] }
  - { name: free, secret: ${keys.free} }
models: { m: { price: { input: 1, output: 2 } } }
${channelYaml({ name: 'first', format: 'chat', origin, models: ['m'] })}`
}

/**
 * A provider of short streams that take up to 40 ms to begin, and up to `maxStreamMs` from the content to the end. Whole
 * answers take as long as streams where nothing else is said.
 */
export function openSlowUpstream(
  random: Pick<Random, 'fraction'>,
  maxStreamMs: number,
  maxWholeMs = maxStreamMs,
) {
  return openScriptedUpstream(async ({ body }) => {
    await wait(Math.floor(random.fraction() * 40))
    if (!body.includes('"stream":true')) {
      await wait(Math.floor(random.fraction() * maxWholeMs))
      return jsonAnswer(whole)
    }
    return sseAnswer([
      frames[0] ?? '',
      wait(Math.floor(random.fraction() * maxStreamMs)),
      ...frames.slice(1),
      'data: [DONE]\n\n',
    ])
  })
}

/** The request for such a stream, or for a whole answer. */
export function streamRequest(
  key: KeyName,
  headers: Readonly<Record<string, string>> = {},
  isStream = true,
): { readonly method: 'POST'; readonly headers: Record<string, string>; readonly body: string } {
  return {
    method: 'POST',
    headers: { authorization: `Bearer ${keys[key]}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      model: 'm',
      stream: isStream,
      max_tokens: 50,
      messages: [{ role: 'user', content: 'Hi' }],
    }),
  }
}

/** Whether a caller saw the content of an answer. */
export function isBegun(text: string): boolean {
  return text.includes('"content":"Hi"')
}

export function isWhole(text: string): boolean {
  return isBegun(text) && text.includes('[DONE]')
}

export function openLedgerFile(folder: string): DatabaseSync {
  return new DatabaseSync(join(folder, 'ledger.db'), { readOnly: true })
}

export interface BilledRow {
  readonly id: string
  readonly attempt: number
  readonly state: number
}

/** The rows of calls that cost something. */
export function readBilledRows(database: DatabaseSync): readonly BilledRow[] {
  return database
    .prepare('select lower(hex(request_id)) as id, attempt, state from ledger where cost > 0')
    .all()
    .map(({ id, attempt, state }) => ({
      id: String(id),
      attempt: Number(attempt),
      state: Number(state),
    }))
}

/** The number of rows that are there more than once. */
export function countDoubled(rows: readonly BilledRow[]): number {
  return rows.length - new Set(rows.map(({ id, attempt }) => `${id}/${attempt}`)).size
}

/** The nano-dollars that the budgets without a window have spent. */
export function readSpent(database: DatabaseSync): number {
  const [{ spent = 0 } = {}] = database
    .prepare(
      "select coalesce(sum(spent), 0) as spent from windows join counters on counters.id = windows.counter where name like '%/total'",
    )
    .all()
  return Number(spent)
}

/** The id of a request as the ledger has it. */
export function bareId(requestId: string): string {
  return requestId
    .replace(/^[a-z]+_/, '')
    .replaceAll('-', '')
    .toLowerCase()
}
