import type { Random } from '../../../src/kit/random/random.ts'
import type { FaultAnswer } from '../answer/fault-answer.ts'
import { locateByte } from '../answer/locate-position.ts'
import type { Fault, Framing } from '../script/fault-schema.ts'
import { drawAmount } from '../script/position-schema.ts'
import type { AfterAnswer, DeliveryStep, Piece } from './delivery.ts'
import { corruptPieces, dripPieces, joinPieces, splitPieces } from './shape-pieces.ts'
import { writeHead } from './write-head.ts'

export interface DeliveryPlan {
  readonly answer: FaultAnswer
  readonly fault: Fault
  /** The pause between two words of a stream, unless the fault sets another. */
  readonly paceMs: number | undefined
  readonly random: Random
}

type ChunkedForm = NonNullable<Framing['chunked']>

const lineEnd = Buffer.from('\r\n')
const HEARTBEAT = ': heartbeat\n\n'
const bodilessStatuses: ReadonlySet<number> = new Set([101, 204, 304])

/** Plans how the bytes of an answer are sent, and where they stop. The function is pure. */
export function planDelivery(plan: DeliveryPlan): readonly DeliveryStep[] {
  const { answer, fault, random } = plan
  const { delay = {}, cut, stall } = fault
  const hasBody = !bodilessStatuses.has(answer.status)
  const isChunked = hasBody && isSentInChunks(plan)
  const cutAt = cut === undefined ? undefined : locateByte(answer, cut.after, random)
  const stallAt = stall === undefined ? undefined : locateByte(answer, stall.after, random)
  const pieces = hasBody ? shapePieces(plan) : []
  const length = lengthOf(pieces)
  const head: DeliveryStep = {
    type: 'send',
    bytes: writeHead({ answer, fault, length, isChunked, hasBody }),
  }
  const delivered = cutAt === undefined ? pieces : splitPieces(pieces, cutAt)[0]
  const [before, after] = stallAt === undefined ? [delivered, []] : splitPieces(delivered, stallAt)
  const isCutFirst = cutAt !== undefined && stallAt !== undefined && cutAt < stallAt
  const silence = stallAt === undefined || isCutFirst ? [] : stallSteps(fault, isChunked)
  const send = (list: readonly Piece[], offset = 0) => sendFrom(list, { plan, isChunked, offset })
  const opening = [...waitStep(delay.head), ...(stallAt === -1 ? silence : [])]
  if (cut !== undefined && cutAt === -1) return endAtClose([...opening, { type: 'close', by: cut.by }])
  const body =
    stallAt === -1 ? send(delivered) : [...send(before), ...silence, ...send(after, lengthOf(before))]
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

/** The whole body with its waits, before any cut. */
function shapePieces(plan: DeliveryPlan): readonly Piece[] {
  const { answer, fault, random } = plan
  const paced = pacePieces(plan)
  const { corrupt, drip } = fault
  const corrupted =
    corrupt === undefined
      ? paced
      : corruptPieces(paced, {
          offset: Math.max(0, locateByte(answer, corrupt.after, random)),
          count: drawAmount(corrupt.bytes, random),
          random,
        })
  const joined = fault.burst === true ? joinPieces(corrupted) : corrupted
  if (drip === undefined) return joined
  const from = drip.after === undefined ? 0 : Math.max(0, locateByte(answer, drip.after, random))
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

/** An endless answer never reaches what follows its content. */
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
  /** The offset of the first piece in the body. */
  readonly offset: number
}

/** Chunks are valid up to the position where the fault begins. */
function sendFrom(pieces: readonly Piece[], { plan, isChunked, offset }: Sending): readonly DeliveryStep[] {
  const { answer, fault, random } = plan
  const { framing = {} } = fault
  if (framing.chunked_after === undefined) return sendSteps(pieces, fault, isChunked)
  const from = locateByte(answer, framing.chunked_after, random)
  const [valid, invalid] = splitPieces(pieces, Math.max(0, from - offset))
  const good: Fault = { ...fault, framing: { ...framing, chunked: 'good' } }
  return [...sendSteps(valid, good, isChunked), ...sendSteps(invalid, fault, isChunked)]
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

/**
 * The step after the answer. After framing that no reader can trust the connection closes, as a confused sender would
 * close it.
 */
function afterAnswer({ connection, framing = {} }: Fault): AfterAnswer {
  if (connection === 'close' || connection === 'close-silently') return 'close'
  const isSound =
    framing.chunked === undefined || ['good', 'trailers', 'extensions'].includes(framing.chunked)
  const lengths = framing.content_length ?? 'exact'
  const isMeasured = ['exact', 'twice', 'with-chunked', 'short'].includes(lengths)
  if (framing.until_close === true || !isSound || !isMeasured) return 'close'
  return connection ?? 'keep'
}

/** Nothing follows the end of the connection. */
function endAtClose(steps: readonly DeliveryStep[]): readonly DeliveryStep[] {
  const last = steps.findIndex(({ type }) => type === 'close' || type === 'hang' || type === 'repeat')
  return last === -1 ? steps : steps.slice(0, last + 1)
}

/** One chunk of a body in the chunked coding, with the fault that the script asks for (RFC 9112 §7.1). */
function frameChunk(bytes: Buffer, form: ChunkedForm): Buffer {
  const size = bytes.length.toString(16)
  switch (form) {
    case 'bad-size':
      return Buffer.concat([Buffer.from('zz\r\n'), bytes, lineEnd])
    case 'huge-size':
      return Buffer.concat([Buffer.from('fffffffffffffffff\r\n'), bytes, lineEnd])
    case 'bad-end':
      return Buffer.concat([Buffer.from(`${size}\r\n`), bytes, Buffer.from('XX')])
    case 'extensions':
      return Buffer.concat([Buffer.from(`${size};name="value";flag\r\n`), bytes, lineEnd])
    default:
      return Buffer.concat([Buffer.from(`${size}\r\n`), bytes, lineEnd])
  }
}

/** The end of a chunked body. */
function lastChunk(form: ChunkedForm): string {
  if (form === 'no-last') return ''
  return form === 'trailers' ? '0\r\nx-trailer: late\r\ncontent-length: 5\r\n\r\n' : '0\r\n\r\n'
}
