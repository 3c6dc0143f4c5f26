import type { Readable } from 'node:stream'

/** The body of a call to a provider. */
export type UpstreamBody =
  /** Parts in memory, in order. Empty where there is no body. */
  | { readonly type: 'bytes'; readonly parts: readonly Buffer[] }
  /** An upload that is opened again each time that it is sent. */
  | { readonly type: 'upload'; readonly upload: UploadSource }

export interface UploadSource {
  /** The length in bytes. Undefined where it is unknown. */
  readonly length?: number
  open(): Readable
}

export const emptyBody: UpstreamBody = { type: 'bytes', parts: [] }

export function jsonBody(value: unknown): UpstreamBody {
  return { type: 'bytes', parts: [Buffer.from(JSON.stringify(value), 'utf8')] }
}

const noParts: readonly Buffer[] = []

/** The parts of a body that are in memory. Empty for an upload. */
export function heldParts(body: UpstreamBody): readonly Buffer[] {
  return body.type === 'bytes' ? body.parts : noParts
}
