import { stringEndModule } from './string-end-module.ts'

/** The part of WebAssembly's interface that is needed here; the language's library does not declare it. */
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

/** The longest piece that is looked at in one go. */
export const SCANNED_BYTES = 64 * 1024

/** The memory in which a piece is searched. All callers share it, and each is done with it in the same turn. */
export const scannedBytes = new Uint8Array(exports.memory.buffer)

/**
 * Scans a JSON string from an offset within the piece that does not lie in an escape. Returns the offset of
 * its closing quote, of a control character, or of a backslash whose escape is invalid or not whole before
 * `end`; `end` where there is none.
 */
export const findStringEnd = exports.findStringEnd
