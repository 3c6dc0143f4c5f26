import { createHash, type Hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy'
import { GatewayError } from '../canonical/failure.ts'
import type { FormFile, FormPart, UploadedForm } from '../canonical/uploads/uploaded-form.ts'
import { reasonOf } from '../kit/errors/reason-of.ts'
import { listenToBody } from './listen-to-body.ts'
import type { SpooledFiles } from './open-spool.ts'
import type { SpooledBytes } from './spooled-bytes.ts'

export interface ReadFormInput {
  readonly headers: IncomingHttpHeaders
  readonly files: SpooledFiles
  /** Whether to hash the parts. */
  readonly needsDigest: boolean
  /** Checks the bytes as they arrive. Returning an error ends the reading. */
  readonly judge: (bytesSoFar: number, moreBytes: number) => GatewayError | undefined
}

export interface FormReading {
  /** Rejects with `GatewayError`, or with any other error for a fault of the gateway itself. */
  readonly form: Promise<UploadedForm>
  readonly bytes: number
  /** Ends the reading; `form` is rejected. */
  fail(error: unknown): void
}

/** No operation has more or larger fields: the longest text is a prompt of 32,000 characters. */
const limits = { fieldSize: 1024 * 1024, fieldNameSize: 256, fields: 256, files: 64, headerPairs: 64 }
/** The maximum number of bytes of all text fields together, which stay in memory. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024
const HEAD_BYTES = 64 * 1024
const TAIL_BYTES = 64 * 1024

/** Reads a form as it arrives. Its files stay in memory as far as `files` allows. */
export function readForm(source: Readable, input: ReadFormInput): FormReading {
  return new FormReader(source, input)
}

class FormReader implements FormReading {
  readonly form: Promise<UploadedForm>
  bytes = 0
  readonly #input: ReadFormInput
  readonly #source: Readable
  readonly #parser: BusboyInstance
  readonly #parts: FormPart[] = []
  readonly #storing: Promise<void>[] = []
  readonly #open = new Set<BusboyFileStream>()
  readonly #hash: Hash | undefined
  readonly #settled = Promise.withResolvers<UploadedForm>()
  #textBytes = 0
  /** Stops listening to the source. */
  readonly #letGo: () => void
  #isOver = false

  constructor(source: Readable, input: ReadFormInput) {
    this.#source = source
    this.#input = input
    this.#hash = input.needsDigest ? createHash('sha256') : undefined
    this.form = this.#settled.promise
    this.#parser = createParser(input.headers)
    this.#parser.on('field', (name, value, isNameCut, isValueCut) =>
      this.#guard(() => this.#addText({ type: 'text', name, value }, isNameCut || isValueCut)),
    )
    this.#parser.on('file', (name, stream, filename, _encoding, mediaType) =>
      this.#guard(() => this.#addFile(stream, { name, filename, mediaType })),
    )
    for (const event of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const)
      this.#parser.on(event, () => this.fail(malformed('The form has more parts than this gateway accepts.')))
    this.#parser.on('error', (error) =>
      this.fail(malformed('The form is not whole or not well-formed.', error)),
    )
    this.#parser.on('drain', () => (this.#isOver ? undefined : source.resume()))
    this.#parser.on('finish', () => void this.#finish())
    this.#letGo = listenToBody(source, {
      onData: (chunk) => this.#onData(chunk),
      onEnd: () => this.#onEnd(),
      onCut: (error) => this.fail(error),
    })
  }

  fail(error: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#letGo()
    this.#source.pause()
    for (const stream of this.#open) stream.destroy()
    this.#parser.destroy()
    this.#settled.reject(error)
  }

  #onData(chunk: Buffer): void {
    const fault = this.#input.judge(this.bytes, chunk.length)
    if (fault !== undefined) {
      this.fail(fault)
      return
    }
    this.bytes += chunk.length
    this.#guard(() => (this.#parser.write(chunk) ? undefined : this.#source.pause()))
  }

  #onEnd(): void {
    this.#guard(() => this.#parser.end())
  }

  /** Catches errors of the callbacks: nothing around the parser's calls could catch them. */
  #guard(work: () => void): void {
    if (this.#isOver) return
    try {
      work()
    } catch (error) {
      this.fail(error instanceof GatewayError ? error : malformed('The form is not well-formed.', error))
    }
  }

  #addText(part: Extract<FormPart, { type: 'text' }>, isCut: boolean): void {
    this.#textBytes += Buffer.byteLength(part.value)
    if (isCut || this.#textBytes > MAX_TEXT_BYTES)
      throw new GatewayError('request_too_large', {
        param: part.name,
        message: `The field "${part.name.slice(0, 256)}" of the form is longer than this gateway accepts.`,
      })
    this.#hash?.update(JSON.stringify([part.name, part.value]))
    this.#parts.push(part)
  }

  #addFile(stream: BusboyFileStream, { name, filename, mediaType }: FileHead): void {
    const content = this.#input.files.add()
    const ends = new FileEnds()
    const file: FormFile = {
      type: 'file',
      name,
      filename: filename ?? 'file',
      mediaType: mediaType || OCTETS,
      content,
      get head() {
        return ends.head
      },
      get tail() {
        return ends.tail
      },
    }
    this.#parts.push(file)
    this.#hash?.update(JSON.stringify([name, file.filename, mediaType]))
    this.#open.add(stream)
    // A stream that `fail` destroys emits its error again, which changes nothing.
    stream.on('error', (error) => this.fail(malformed('The form is not whole or not well-formed.', error)))
    this.#storing.push(
      this.#store(stream, content, ends).catch((error: unknown) => this.fail(storingFault(error))),
    )
  }

  async #store(stream: BusboyFileStream, content: SpooledBytes, ends: FileEnds): Promise<void> {
    for await (const chunk of stream) {
      if (!(chunk instanceof Buffer)) continue
      this.#hash?.update(chunk)
      ends.add(chunk)
      await content.write(chunk)
      if (this.#isOver) return
    }
    this.#open.delete(stream)
  }

  async #finish(): Promise<void> {
    await Promise.all(this.#storing)
    if (this.#isOver) return
    this.#isOver = true
    this.#letGo()
    const digest = this.#hash?.digest('base64url')
    this.#settled.resolve({ parts: this.#parts, bytes: this.bytes, digest })
  }
}

interface FileHead {
  readonly name: string
  readonly filename: string | undefined
  readonly mediaType: string
}

const OCTETS = 'application/octet-stream'

function createParser(headers: IncomingHttpHeaders): BusboyInstance {
  try {
    return new Busboy({ headers: { ...headers, 'content-type': headers['content-type'] ?? '' }, limits })
  } catch (error) {
    throw malformed('The content type of the form names no boundary.', error)
  }
}

function malformed(message: string, cause?: unknown): GatewayError {
  return new GatewayError('malformed_request', {
    message,
    ...(cause !== undefined && { logCause: reasonOf(cause) }),
  })
}

/**
 * The error for a file that could not be stored. Only errors of the file system have `syscall`, the name of the call
 * that failed.
 */
export function storingFault(error: unknown): unknown {
  if (!(error instanceof Error && 'syscall' in error)) return error
  return new GatewayError('bodies_over_capacity', {
    logCause: `an upload was not stored: ${reasonOf(error)}`,
  })
}

/** Collects the first and last bytes of a file as it arrives. */
class FileEnds {
  #head: Buffer[] = []
  #headBytes = 0
  #tail: Buffer[] = []
  #tailBytes = 0

  get head(): Buffer {
    return Buffer.concat(this.#head)
  }

  get tail(): Buffer {
    const joined = Buffer.concat(this.#tail)
    return joined.subarray(Math.max(0, joined.length - TAIL_BYTES))
  }

  add(chunk: Buffer): void {
    if (this.#headBytes < HEAD_BYTES) {
      const part = Buffer.from(chunk.subarray(0, HEAD_BYTES - this.#headBytes))
      this.#head.push(part)
      this.#headBytes += part.length
    }
    this.#tail.push(chunk)
    this.#tailBytes += chunk.length
    if (this.#tailBytes < 4 * TAIL_BYTES) return
    this.#tail = [Buffer.from(this.tail)]
    this.#tailBytes = this.tail.length
  }
}
