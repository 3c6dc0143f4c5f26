// 1,000,000 answers of providers, spoilt at random (deep values, wrong types, gaps and repeats in indices, events that
// are missing, double or out of order, bytes cut off), half of them compressed, streamed and whole, through the real
// lanes of six channel formats and four caller formats: no crash, no hang, no fault of our own, and of every answer
// that is no error each word of a text and of a call told exactly once.

import { errorRow } from '../../src/canonical/error-table.ts'
import { channelFormatIds, formatIds } from '../../src/canonical/format.ts'
import { readAnswer } from '../support/judge.ts'
import { writeEvent } from '../support/write-event-stream.ts'
import { type AskedOf, type Told, tell } from './answer-fuzz/open-subject.ts'
import { codings, compress } from './answer-fuzz/send-bytes.ts'
import { type Spoilt, spoil } from './answer-fuzz/spoil.ts'
import { type FuzzAnswer, writeAnswer } from './answer-fuzz/write-answer.ts'
import { type Chance, createChance } from './create-chance.ts'

const ANSWERS = Number(process.env['FUZZED_ANSWERS'] ?? 1_000_000)
const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
/** With a number, that case alone. */
const ONLY = process.env['CASE'] === undefined ? undefined : Number(process.env['CASE'])
const AT_ONCE = ONLY === undefined ? 32 : 1
const PATIENCE_MS = 30_000

const outcomes = new Map<string, number>()
const thrown = new Map<string, number>()
const wrong: string[] = []
process.on('uncaughtException', (error) => wrong.push(`the process would have ended: ${error.stack}`))
process.on('unhandledRejection', (error) => wrong.push(`the process would have ended: ${String(error)}`))

const startedAtMs = performance.now()
let next = ONLY ?? 0
const end = ONLY === undefined ? ANSWERS : ONLY + 1
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    while (next < end) {
      const number = next
      next += 1
      await runCase(number).catch((error: unknown) => {
        const stack = error instanceof Error ? error.stack : String(error)
        wrong.push(`case ${number} (SEED=${SEED} CASE=${number}): the attempt rejected: ${stack}`)
      })
    }
  }),
)
const seconds = (performance.now() - startedAtMs) / 1_000
const counts = [...outcomes].sort().map(([outcome, count]) => `${outcome} × ${count}`)
process.stdout.write(
  `fuzzed answers: ${end - (ONLY ?? 0)} (seed ${SEED}), ${Math.round((end - (ONLY ?? 0)) / seconds)} a second: ${counts.join(', ')}; caught throws ${[...thrown.values()].reduce((sum, count) => sum + count, 0)}; wrong ${wrong.length}\n`,
)
for (const [stack, count] of thrown) process.stdout.write(`  thrown ${count} times: ${stack}\n`)
for (const example of wrong.slice(0, 10)) process.stdout.write(`  ${example}\n`)
process.exitCode = wrong.length > 0 ? 1 : 0

async function runCase(number: number): Promise<void> {
  const chance = createChance((SEED * 1_000_003 + number * 7_919) >>> 0)
  for (let warmUp = 0; warmUp < 20; warmUp += 1) chance.next()
  const asked: AskedOf = {
    caller: chance.pick(formatIds),
    channel: chance.pick(channelFormatIds),
    isStream: chance.next() < 0.7,
  }
  // Some providers answer whole where a stream was asked for.
  const answer = writeAnswer(asked.channel, asked.isStream && chance.next() < 0.9, chance)
  const spoilt = spoil(answer, chance)
  const bytes = writeBytes(answer, chance)
  const coding = chance.next() < 0.5 ? 'identity' : chance.pick(codings)
  const sent = { contentType: typeOf(answer), coding, pieces: cut(compress(bytes, coding), chance) }
  const told = await withPatience(tell(asked, sent))
  const fault = told === undefined ? 'hangs' : judge(asked, answer, spoilt, told)
  if (ONLY !== undefined) process.stdout.write(`${bytes.toString()}\n---\n${told?.text}\n---\n`)
  if (fault === undefined) return
  const { caller, channel, isStream } = asked
  wrong.push(
    `case ${number} (SEED=${SEED} CASE=${number}): ${channel} to ${caller}, stream ${isStream}: ${fault}`,
  )
}

/** Undefined where it takes too long. */
function withPatience(telling: Promise<Told>): Promise<Told | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(undefined), PATIENCE_MS)
    telling.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

function typeOf({ format, isStream }: FuzzAnswer): string {
  if (!isStream) return 'application/json'
  return format === 'converse' ? 'application/vnd.amazon.eventstream' : 'text/event-stream'
}

function writeBytes({ format, isStream, events }: FuzzAnswer, chance: Chance): Buffer {
  const parts = events.map(({ type, data }) => {
    const text = typeof data === 'string' ? data : JSON.stringify(data)
    if (!isStream) return Buffer.from(text)
    if (format === 'converse') return writeEvent(type, data)
    return Buffer.from(`${type === '' || format === 'cohere' ? '' : `event: ${type}\n`}data: ${text}\n\n`)
  })
  const bytes = Buffer.concat(parts)
  return chance.next() < 0.05 ? bytes.subarray(0, chance.upTo(bytes.length + 1)) : bytes
}

function cut(bytes: Buffer, chance: Chance): readonly Buffer[] {
  const pieces: Buffer[] = []
  const size = chance.pick([7, 100, 1_000, 100_000])
  const most = Math.max(size, Math.ceil(bytes.length / 12))
  for (let at = 0; at < bytes.length; at += most) pieces.push(bytes.subarray(at, at + most))
  return pieces
}

/** What is wrong; undefined where nothing is. */
function judge(
  asked: AskedOf,
  answer: FuzzAnswer,
  spoilt: Spoilt,
  { outcome, text, isEnded }: Told,
): string | undefined {
  const { type, failure, cause } = outcome
  count(outcomes, failure?.code ?? type)
  if (cause?.startsWith('unreadable')) count(thrown, cause.split('\n').slice(0, 3).join(' '))
  if (type === 'caller-gone') return 'ended as if the caller had left'
  if (failure !== undefined) {
    const { status, blame } = errorRow(failure.code)
    if (blame === 'gateway') return `a fault of our own: ${failure.code}`
    if (status >= 500 && status !== 502 && status !== 504 && status !== 503) return `status ${status}`
    return isEnded ? 'ended well in spite of a failure' : undefined
  }
  return isEnded ? compare(asked, answer, spoilt, text) : 'never ended'
}

function compare(
  asked: AskedOf,
  { blocks }: FuzzAnswer,
  { damaged, repeated }: Spoilt,
  text: string,
): string | undefined {
  const said = readSaid(asked, text)
  if (said === undefined) return `the caller gets no answer of its format: ${text.slice(0, 300)}`
  for (const [index, { words, type }] of blocks.entries()) {
    if (repeated.has(index)) continue
    for (const word of words) {
      const times = said.split(word).length - 1
      if (times > 1) return `${word} of a ${type} was told ${times} times`
      if (times === 0 && !damaged.has(index)) return `${word} of a ${type} was lost`
    }
  }
  return undefined
}

/** All that the answer says, by a reader that knows nothing of the product. */
function readSaid({ caller, isStream }: AskedOf, body: string): string | undefined {
  try {
    const { text, thinking, refusal, toolCalls, error } = readAnswer({ format: caller, body, isStream })
    if (error !== undefined) return undefined
    const calls = toolCalls.map(({ name, arguments: args }) => `${name} ${JSON.stringify(args)}`)
    return [text, thinking, refusal, ...calls].join('\n')
  } catch {
    return undefined
  }
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}
