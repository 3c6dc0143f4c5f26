import { refuseReply } from '../canonical/answer-size.ts'
import { createFailure, type Failure } from '../canonical/failure.ts'
import type { Reply } from '../canonical/reply.ts'
import { unfoldReply } from '../canonical/unfold-reply.ts'
import type { JsonValue } from '../kit/json.ts'
import type { JsonBounds } from '../kit/json-bounds.ts'
import { parseJson } from '../kit/parse-json.ts'
import { answerBounds, refuseJson, vectorBounds } from '../wire/answer-bounds.ts'
import type { ChannelFormat, StreamWriter } from '../wire/wire-format.ts'
import { isFailure } from './exchange.ts'
import type { WholeReply } from './lane.ts'

/** Parses a whole answer; leading white space (sent to keep connections open) is part of JSON. */
export function parseReply(body: Buffer): Parsed {
  return parse(body, { read: parseJson, bounds: answerBounds })
}

/** The same for an answer that is only watched: its bytes go on as they are, so long numbers need no care. */
export function parseWatched(body: Buffer): Parsed {
  return parse(body, { read: JSON.parse, bounds: answerBounds })
}

/** The same for vectors, which hold more numbers than any conversation's answer, none of them a long integer. */
export function parseVectors(body: Buffer): Parsed {
  return parse(body, { read: JSON.parse, bounds: vectorBounds })
}

interface Reading {
  readonly read: (text: string) => JsonValue
  readonly bounds: JsonBounds
}

type Parsed = { readonly json: JsonValue } | { readonly failure: Failure }

function parse(body: Buffer, { read, bounds }: Reading): Parsed {
  const text = body.toString('utf8')
  const failure = refuseJson(text, bounds)
  if (failure !== undefined) return { failure }
  try {
    return { json: read(text) }
  } catch {
    return { failure: createFailure('upstream_bad_response') }
  }
}

/** Reads a parsed answer, unless it has more parts than any real one. */
export function readBounded(format: Pick<ChannelFormat, 'readReply'>, json: JsonValue): Reply | Failure {
  const reply = format.readReply(json)
  return isFailure(reply) ? reply : (refuseReply(reply) ?? reply)
}

/** A whole answer as the stream that the caller asked for. */
export function writeReplay(reply: Reply, writer: StreamWriter): WholeReply {
  let body = ''
  for (const event of unfoldReply(reply)) body += writer.push(event)
  return { body, usage: reply.usage, losses: writer.losses }
}
