import { STATUS_CODES } from 'node:http'
import type { FaultAnswer } from '../answer/fault-answer.ts'
import type { Fault, Framing } from '../script/fault-schema.ts'

export interface HeadPlan {
  readonly answer: FaultAnswer
  readonly fault: Fault
  /** Bytes of the whole body. */
  readonly length: number
  readonly isChunked: boolean
  readonly hasBody: boolean
}

/** Writes all that stands before the body: informational answers, the status line, the headers. */
export function writeHead(plan: HeadPlan): Buffer {
  const { answer, fault } = plan
  const framing = fault.framing ?? {}
  const line = framing.status_line ?? `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? 'Unknown'}`
  const headers = [...answer.headers, ...framingHeaders(plan), ...floodHeaders(framing)]
  const lines = [line, ...headers.map(([name, value]) => `${name}: ${value}`)]
  // Headers are read as Latin-1; a script may hold any of its bytes.
  return Buffer.from(`${writeInformational(framing)}${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}

function writeInformational({ informational }: Framing): string {
  if (informational === undefined) return ''
  const { status, times } = informational
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}\r\n\r\n`.repeat(times)
}

type HeaderList = readonly (readonly [string, string])[]

function framingHeaders({ fault, length, isChunked, hasBody }: HeadPlan): HeaderList {
  const { framing = {}, connection } = fault
  const closing: HeaderList = connection === 'close' ? [['connection', 'close']] : []
  if (!hasBody || framing.until_close === true) return closing
  const chunked: HeaderList = isChunked ? [['transfer-encoding', 'chunked']] : []
  const lengths = framing.content_length ?? (isChunked ? undefined : 'exact')
  return [...closing, ...chunked, ...lengthHeaders(lengths, length)]
}

function lengthHeaders(kind: Framing['content_length'], length: number): HeaderList {
  switch (kind) {
    case undefined:
      return []
    case 'short':
      return [['content-length', String(Math.max(0, length - Math.ceil(length / 3)))]]
    case 'long':
      return [['content-length', String(length + 100)]]
    case 'twice':
      return [
        ['content-length', String(length)],
        ['content-length', String(length)],
      ]
    case 'conflicting':
      return [
        ['content-length', String(length)],
        ['content-length', String(length + 1)],
      ]
    case 'negative':
      return [['content-length', '-1']]
    case 'text':
      return [['content-length', 'many']]
    default:
      return [['content-length', String(length)]]
  }
}

function floodHeaders({ header_flood: flood }: Framing): HeaderList {
  if (flood === undefined) return []
  const value = 'x'.repeat(flood.bytes)
  return Array.from({ length: flood.count }, (_, index) => [`x-flood-${index}`, value] as const)
}
