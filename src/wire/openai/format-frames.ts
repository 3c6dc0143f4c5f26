import { writeError, writeErrorEvent } from '../errors/write-error.ts'
import type { FormatFrames, Operation, UsagePath } from '../wire-format.ts'
import { readError } from './errors/read-error.ts'
import { writeLimitHeaders } from './values/write-limit-headers.ts'

/** The frame that ends a complete stream of chunks. */
export const terminator = 'data: [DONE]\n\n'

/** The path of the usage object in the chunk that ends a stream. */
export const eventUsagePath: UsagePath = ['usage']

export const forwardedHeaders = ['openai-beta'] as const

/**
 * The form in which OpenAI's services write errors, pings and the end of a stream, the reader of their errors, and the
 * request headers that they accept.
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
