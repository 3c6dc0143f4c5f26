import { createFailure, type Failure } from '../canonical/failure.ts'
import type { Reply } from '../canonical/reply.ts'
import { unfoldReply } from '../canonical/unfold-reply.ts'
import type { JsonValue } from '../kit/json.ts'
import { parseJson } from '../kit/parse-json.ts'
import type { StreamWriter } from '../wire/wire-format.ts'
import type { WholeReply } from './lane.ts'

/** Parses a whole answer; leading white space (sent to keep connections open) is part of JSON. */
export function parseReply(body: Buffer): { readonly json: JsonValue } | { readonly failure: Failure } {
  try {
    return { json: parseJson(body.toString('utf8')) }
  } catch {
    return { failure: createFailure('upstream_bad_response') }
  }
}

/** The same for an answer that is only watched: its bytes go on as they are, so long numbers need no care. */
export function parseWatched(body: Buffer): { readonly json: JsonValue } | { readonly failure: Failure } {
  try {
    return { json: JSON.parse(body.toString('utf8')) }
  } catch {
    return { failure: createFailure('upstream_bad_response') }
  }
}

/** A whole answer as the stream that the caller asked for. */
export function writeReplay(reply: Reply, writer: StreamWriter): WholeReply {
  let body = ''
  for (const event of unfoldReply(reply)) body += writer.push(event)
  return { body, usage: reply.usage, losses: writer.losses }
}
