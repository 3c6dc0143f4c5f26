import { usageMeasures } from '../ledger-tables.ts'
import type { BatchNames } from './batch-names.ts'
import type { WindowAmount, WindowHold } from './pack-amounts.ts'
import type { PackedReader } from './packed-batch.ts'

/** The fields that intents and rows share, with the IDs that they have in the tables. */
interface UnpackedStart {
  readonly id: string
  readonly requestId: string
  readonly subject: number
  /** The number of a set of tags; 0 means no tags. */
  readonly tags: number
  readonly attempt: number
  readonly startedAtMs: number
}

export interface UnpackedIntent extends UnpackedStart {
  readonly expiresAtMs: number
  readonly inputTokens: number
  readonly multiplierPpm: number
  readonly unseen: UnpackedUnseen | undefined
  readonly held: readonly WindowHold[]
}

/** The maximum cost, the maximum charge, and whether the call was not made yet. */
export type UnpackedUnseen = readonly [cost: number, charged: number, isAhead: boolean]

export interface UnpackedRow extends UnpackedStart {
  readonly endedAtMs: number
  readonly state: number
  readonly flags: number
  readonly tier: number
  /** The usage in the order of `usageMeasures`. */
  readonly usage: readonly number[]
  readonly cost: number
  readonly charged: number
  /** A JSON object; empty without tool calls. */
  readonly toolCalls: string
  /** The corrected row; empty where it corrects no row. */
  readonly corrects: string
  readonly counted: readonly WindowAmount[]
}

export function unpackIntent(reader: PackedReader, names: BatchNames): UnpackedIntent {
  return {
    ...unpackStart(reader, names),
    expiresAtMs: reader.number(),
    inputTokens: reader.number(),
    multiplierPpm: reader.number(),
    unseen: reader.number() === 0 ? undefined : unpackUnseen(reader),
    held: unpackHolds(reader, names),
  }
}

function unpackUnseen(reader: PackedReader): UnpackedUnseen {
  return [reader.number(), reader.number(), reader.number() === 1]
}

export function unpackRow(reader: PackedReader, names: BatchNames): UnpackedRow {
  return {
    ...unpackStart(reader, names),
    endedAtMs: reader.number(),
    state: reader.number(),
    flags: reader.number(),
    tier: reader.number(),
    usage: usageMeasures.map(() => reader.number()),
    cost: reader.number(),
    charged: reader.number(),
    toolCalls: reader.text(),
    corrects: reader.text(),
    counted: unpackAmounts(reader, names),
  }
}

function unpackStart(reader: PackedReader, names: BatchNames): UnpackedStart {
  return {
    id: reader.text(),
    requestId: reader.text(),
    subject: names.subjectId(reader.number()),
    tags: names.tagsId(reader.number()),
    attempt: reader.number(),
    startedAtMs: reader.number(),
  }
}

function unpackAmounts(reader: PackedReader, names: BatchNames): readonly WindowAmount[] {
  const amounts: WindowAmount[] = []
  for (let left = reader.number(); left > 0; left -= 1)
    amounts.push({ window: names.windowId(reader.number()), amount: reader.number() })
  return amounts
}

function unpackHolds(reader: PackedReader, names: BatchNames): readonly WindowHold[] {
  return unpackAmounts(reader, names).map(({ window, amount }) => ({
    window,
    amount,
    counts: reader.number() === 1 ? 'cost' : 'charged',
  }))
}
