import type { ResponseWriter } from './response-writer.ts'

/** The writer for an answer that is not sent to a caller. Only its lane reads the answer. */
export const discardingWriter: Pick<
  ResponseWriter,
  'hasContent' | 'writeStream' | 'endStream' | 'sendWhole'
> = {
  hasContent: false,
  writeStream: () => true,
  endStream: () => undefined,
  sendWhole: () => undefined,
}
