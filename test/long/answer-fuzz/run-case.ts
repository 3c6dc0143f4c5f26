import { channelFormatIds } from '../../../src/canonical/format.ts'
import { writeEvent } from '../../support/write-event-stream.ts'
import { type Chance, createChance } from '../create-chance.ts'
import { judgeAnswer } from './judge-answer.ts'
import { type AskedOf, type CallerAnswer, fuzzCallers, runCall } from './open-subject.ts'
import { compress, compressions } from './send-bytes.ts'
import { spoil } from './spoil.ts'
import { type FuzzAnswer, writeAnswer } from './write-answer.ts'

export interface CaseResult {
  readonly asked: AskedOf
  /** `answered`, the code of the failure, or `hangs`. */
  readonly outcome: string
  /** The error that reading the answer threw, caught where it may be. */
  readonly thrown: string | undefined
  readonly fault: string | undefined
  readonly sent: Buffer
  readonly received: string
}

/** Undefined where the call takes too long. */
export type Patience = (call: Promise<CallerAnswer>) => Promise<CallerAnswer | undefined>

/** One answer, the same for the same seed and number. */
export async function runCase(seed: number, number: number, withPatience: Patience): Promise<CaseResult> {
  const chance = createChance((seed * 1_000_003 + number * 7_919) >>> 0)
  for (let warmUp = 0; warmUp < 5; warmUp += 1) chance.next()
  const asked: AskedOf = {
    caller: chance.pick(fuzzCallers),
    channel: chance.pick(channelFormatIds),
    isStream: chance.next() < 0.7,
  }
  // Some providers answer whole where a stream was asked for.
  const answer = writeAnswer(asked.channel, asked.isStream && chance.next() < 0.9, chance)
  const spoilt = spoil(answer, chance)
  const sent = writeBytes(answer, chance)
  // Every other one comes compressed.
  const coding = number % 2 === 0 ? 'identity' : chance.pick(compressions)
  const pieces = cut(compress(sent, coding), chance)
  const received = await withPatience(runCall(asked, { contentType: typeOf(answer), coding, pieces }))
  if (received === undefined)
    return { asked, outcome: 'hangs', thrown: undefined, fault: 'hangs', sent, received: '' }
  const { outcome } = received
  const cause = outcome.type === 'failed' ? outcome.cause : undefined
  return {
    asked,
    outcome: outcome.type === 'failed' ? outcome.failure.code : outcome.type,
    thrown: cause?.startsWith('unreadable') ? cause.split('\n').slice(0, 3).join(' ') : undefined,
    fault: judgeAnswer({ asked, answer, spoilt }, received),
    sent,
    received: received.text,
  }
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
  const scannedBytes = Math.max(size, Math.ceil(bytes.length / 12))
  for (let at = 0; at < bytes.length; at += scannedBytes) pieces.push(bytes.subarray(at, at + scannedBytes))
  return pieces
}
