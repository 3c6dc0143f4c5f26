import { writeError, writeErrorEvent } from '../errors/write-error.ts'
import type { FormatFrames, Operation, UsagePath } from '../wire-format.ts'
import { readError } from './errors/read-error.ts'
import { writeLimitHeaders } from './values/write-limit-headers.ts'

/** Ends a complete stream of chunks. */
export const terminator = 'data: [DONE]\n\n'

/** The path of the usage in the chunk that ends a stream. */
export const eventUsagePath: UsagePath = ['usage']

export const forwardedHeaders = ['openai-beta'] as const

/**
 * The form in which OpenAI's services write errors, pings and ends of streams, the way to read their errors, and the
 * headers that they know.
 */
export const openAiFrames: FormatFrames & Pick<Operation, 'readError' | 'forwardedHeaders'> = {
  readError,
  forwardedHeaders,
  writeError,
  writeErrorEvent,
  requestIdHeader: 'x-request-id',
  heartbeat: ': heartbeat\n\n',
  writeLimitHeaders,
}
