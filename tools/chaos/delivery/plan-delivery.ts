import type { Random } from '../../../src/kit/values/random.ts'
import type { FaultAnswer } from '../answer/fault-answer.ts'
import { placeInAnswer } from '../answer/locate-position.ts'
import type { Fault } from '../script/fault-schema.ts'
import { drawAmount } from '../script/position-schema.ts'
import type { AfterAnswer, DeliveryStep, Piece } from './delivery.ts'
import { frameChunk, lastChunk } from './frame-chunk.ts'
import { corruptPieces, dripPieces, joinPieces, splitPieces } from './shape-pieces.ts'
import { writeHead } from './write-head.ts'

export interface DeliveryPlan {
  readonly answer: FaultAnswer
  readonly fault: Fault
  /** Between two words of a stream, where the fault says nothing else. */
  readonly paceMs: number | undefined
  readonly random: Random
}

const HEARTBEAT = ': heartbeat\n\n'
const bodilessStatuses: ReadonlySet<number> = new Set([101, 204, 304])

/** How the bytes of an answer leave, and where they stop. Pure. */
export function planDelivery(plan: DeliveryPlan): readonly DeliveryStep[] {
  const { answer, fault, random } = plan
  const { delay = {}, cut, stall } = fault
  const hasBody = !bodilessStatuses.has(answer.status)
  const isChunked = hasBody && isSentInChunks(plan)
  const cutAt = cut === undefined ? undefined : placeInAnswer(answer, cut.after, random)
  const stallAt = stall === undefined ? undefined : placeInAnswer(answer, stall.after, random)
  const pieces = hasBody ? shapePieces(plan) : []
  const length = lengthOf(pieces)
  const head: DeliveryStep = {
    type: 'send',
    bytes: writeHead({ answer, fault, length, isChunked, hasBody }),
  }
  const kept = cutAt === undefined ? pieces : splitPieces(pieces, cutAt)[0]
  const [before, after] = stallAt === undefined ? [kept, []] : splitPieces(kept, stallAt)
  const isCutFirst = cutAt !== undefined && stallAt !== undefined && cutAt < stallAt
  const silence = stallAt === undefined || isCutFirst ? [] : stallSteps(fault, isChunked)
  const send = (list: readonly Piece[], offset = 0) => sendFrom(list, { plan, isChunked, offset })
  const opening = [...waitStep(delay.head), ...(stallAt === -1 ? silence : [])]
  if (cut !== undefined && cutAt === -1) return endAtClose([...opening, { type: 'close', by: cut.by }])
  const body = stallAt === -1 ? send(kept) : [...send(before), ...silence, ...send(after, lengthOf(before))]
  const ending: readonly DeliveryStep[] =
    cut === undefined ? endSteps(plan, isChunked) : [{ type: 'close', by: cut.by }]
  return endAtClose([...opening, head, ...body, ...ending])
}

function isSentInChunks({ answer, fault }: DeliveryPlan): boolean {
  const { framing = {}, endless } = fault
  if (framing.until_close === true) return false
  if (framing.chunked !== undefined || framing.content_length === 'with-chunked') return true
  if (framing.content_length !== undefined) return false
  return answer.isStream || endless !== undefined
}

/** The body with its waits, as it would be with nothing cut from it. */
function shapePieces(plan: DeliveryPlan): readonly Piece[] {
  const { answer, fault, random } = plan
  const paced = pacePieces(plan)
  const { corrupt, drip } = fault
  const corrupted =
    corrupt === undefined
      ? paced
      : corruptPieces(paced, {
          offset: Math.max(0, placeInAnswer(answer, corrupt.after, random)),
          count: drawAmount(corrupt.bytes, random),
          random,
        })
  const joined = fault.burst === true ? joinPieces(corrupted) : corrupted
  if (drip === undefined) return joined
  const from = drip.after === undefined ? 0 : Math.max(0, placeInAnswer(answer, drip.after, random))
  const [before, after] = splitPieces(joined, from)
  return [...before, ...dripPieces(after, drip.bytes, drip.every ?? 0)]
}

function pacePieces({ answer, fault, paceMs }: DeliveryPlan): readonly Piece[] {
  const { delay = {} } = fault
  const firstContent = answer.parts.findIndex(({ kind }) => kind === 'content')
  const betweenMs = delay.between ?? (answer.isStream ? (paceMs ?? 0) : 0)
  return sentParts({ answer, fault }).map(({ kind, bytes }, index) => {
    const bodyMs = index === 0 ? (delay.body ?? 0) : 0
    const contentMs = index === firstContent ? (delay.content ?? 0) : 0
    const paced = kind === 'content' && index > firstContent ? betweenMs : 0
    return { waitMs: bodyMs + contentMs + paced, bytes }
  })
}

/** An endless answer never comes to what follows its content. */
function sentParts({ answer, fault }: Pick<DeliveryPlan, 'answer' | 'fault'>): FaultAnswer['parts'] {
  if (fault.endless === undefined) return answer.parts
  const last = answer.parts.findLastIndex(({ kind }) => kind === 'content')
  return answer.parts.slice(0, last + 1)
}

function lengthOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { bytes }) => sum + bytes.length, 0)
}

interface Sending {
  readonly plan: DeliveryPlan
  readonly isChunked: boolean
  /** Of the first piece in the body. */
  readonly offset: number
}

/** Chunks are good until the place from which they are not. */
function sendFrom(pieces: readonly Piece[], { plan, isChunked, offset }: Sending): readonly DeliveryStep[] {
  const { answer, fault, random } = plan
  const { framing = {} } = fault
  if (framing.chunked_after === undefined) return sendSteps(pieces, fault, isChunked)
  const from = placeInAnswer(answer, framing.chunked_after, random)
  const [sound, spoilt] = splitPieces(pieces, Math.max(0, from - offset))
  const good: Fault = { ...fault, framing: { ...framing, chunked: 'good' } }
  return [...sendSteps(sound, good, isChunked), ...sendSteps(spoilt, fault, isChunked)]
}

function sendSteps(pieces: readonly Piece[], fault: Fault, isChunked: boolean): readonly DeliveryStep[] {
  return pieces.flatMap(({ waitMs, bytes }) => {
    if (bytes.length === 0) return waitStep(waitMs)
    return [...waitStep(waitMs), { type: 'send', bytes: frame(bytes, fault, isChunked) } as const]
  })
}

function frame(bytes: Buffer, { framing }: Fault, isChunked: boolean): Buffer {
  return isChunked ? frameChunk(bytes, framing?.chunked ?? 'good') : bytes
}

function waitStep(ms: number | undefined): readonly DeliveryStep[] {
  return ms === undefined || ms === 0 ? [] : [{ type: 'wait', ms }]
}

function stallSteps(fault: Fault, isChunked: boolean): readonly DeliveryStep[] {
  const { for: durationMs, heartbeat } = fault.stall ?? {}
  if (heartbeat === undefined) return durationMs === undefined ? [{ type: 'hang' }] : waitStep(durationMs)
  const bytes = frame(Buffer.from(heartbeat.text ?? HEARTBEAT), fault, isChunked)
  if (durationMs === undefined) return [{ type: 'repeat', bytes, everyMs: heartbeat.every }]
  const count = Math.floor(durationMs / heartbeat.every)
  const beats = Array.from({ length: count }, (): readonly DeliveryStep[] => [
    { type: 'wait', ms: heartbeat.every },
    { type: 'send', bytes },
  ])
  return [...beats.flat(), ...waitStep(durationMs - count * heartbeat.every)]
}

function endSteps({ answer, fault }: DeliveryPlan, isChunked: boolean): readonly DeliveryStep[] {
  const { delay = {}, framing = {}, endless } = fault
  const waiting = waitStep(delay.end)
  if (endless !== undefined) {
    const repeated = answer.parts.findLast(({ kind }) => kind === 'content')?.bytes ?? Buffer.from(' ')
    return [{ type: 'repeat', bytes: frame(repeated, fault, isChunked), everyMs: endless.every }]
  }
  const text = `${isChunked ? lastChunk(framing.chunked ?? 'good') : ''}${framing.extra ?? ''}`
  const sent: readonly DeliveryStep[] =
    text === '' ? [] : [{ type: 'send', bytes: Buffer.from(text, 'latin1') }]
  return [...waiting, ...sent, { type: 'done', after: afterAnswer(fault) }]
}

/** Framing that no reader can trust is followed by a close, as its sender would be confused as well. */
function afterAnswer({ connection, framing = {} }: Fault): AfterAnswer {
  if (connection === 'close' || connection === 'close-silently') return 'close'
  const isSound =
    framing.chunked === undefined || ['good', 'trailers', 'extensions'].includes(framing.chunked)
  const lengths = framing.content_length ?? 'exact'
  const isMeasured = ['exact', 'twice', 'with-chunked', 'short'].includes(lengths)
  if (framing.until_close === true || !isSound || !isMeasured) return 'close'
  return connection ?? 'keep'
}

/** Nothing comes after the connection's end. */
function endAtClose(steps: readonly DeliveryStep[]): readonly DeliveryStep[] {
  const last = steps.findIndex(({ type }) => type === 'close' || type === 'hang' || type === 'repeat')
  return last === -1 ? steps : steps.slice(0, last + 1)
}
