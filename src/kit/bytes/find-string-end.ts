import { stringEndModule } from './string-end-module.ts'

/** The part of WebAssembly's interface that is needed here. TypeScript's standard library does not declare it. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (
    module: object,
  ) => {
    readonly exports: {
      readonly memory: { readonly buffer: ArrayBuffer }
      readonly findStringEnd: (at: number, end: number) => number
    }
  }
}

const { exports } = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(stringEndModule, 'base64')))

/** The longest piece that is scanned in one call. */
export const SCANNED_BYTES = 64 * 1024

/**
 * The memory in which a piece is searched. All callers share the memory, and each finishes with it in the same turn
 * of the event loop.
 */
export const scannedBytes = new Uint8Array(exports.memory.buffer)

/**
 * Scans a JSON string from an offset within the piece. The offset is not inside an escape. Returns the offset of the
 * closing quote, of a control character, or of a backslash whose escape is invalid or incomplete before `end`.
 * Returns `end` where the piece has none of these.
 */
export const findStringEnd = exports.findStringEnd
