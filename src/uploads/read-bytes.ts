import type { Readable } from 'node:stream'
import { GatewayError } from '../canonical/failure.ts'
import type { FormFile, UploadedForm } from '../canonical/uploads/uploaded-form.ts'
import { reasonOf } from '../kit/errors/reason-of.ts'
import { type FormReading, type ReadFormInput, storingFault } from './read-form.ts'
import type { SpooledBytes } from './spooled-bytes.ts'

/** Reads a body of any bytes as it comes, as the one file of a form. */
export function readUploadedBytes(
  source: Readable,
  input: Pick<ReadFormInput, 'files' | 'judge'>,
): FormReading {
  return new BytesReader(source, input)
}

const noBytes = Buffer.alloc(0)

class BytesReader implements FormReading {
  readonly form: Promise<UploadedForm>
  bytes = 0
  readonly #source: Readable
  readonly #judge: ReadFormInput['judge']
  readonly #content: SpooledBytes
  readonly #settled = Promise.withResolvers<UploadedForm>()
  #isOver = false
  /** Whether a chunk is being stored, so that the end waits for it. */
  #isStoring = false
  #hasEnded = false

  constructor(source: Readable, { files, judge }: Pick<ReadFormInput, 'files' | 'judge'>) {
    this.#source = source
    this.#judge = judge
    this.#content = files.add()
    this.form = this.#settled.promise
    source.on('data', this.#onData)
    source.on('end', this.#onEnd)
    source.on('error', this.#onError)
    source.on('close', this.#onClose)
  }

  fail(error: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#letGo()
    this.#source.pause()
    this.#settled.reject(error)
  }

  readonly #onData = (chunk: Buffer): void => {
    const fault = this.#judge(this.bytes, chunk.length)
    if (fault !== undefined) {
      this.fail(fault)
      return
    }
    this.bytes += chunk.length
    this.#source.pause()
    this.#isStoring = true
    this.#content.write(chunk).then(
      () => this.#onStored(),
      (error: unknown) => this.fail(storingFault(error)),
    )
  }

  #onStored(): void {
    this.#isStoring = false
    if (this.#isOver) return
    if (this.#hasEnded) this.#finish()
    else this.#source.resume()
  }

  readonly #onEnd = (): void => {
    this.#hasEnded = true
    if (!this.#isStoring && !this.#isOver) this.#finish()
  }

  readonly #onError = (error: Error): void => {
    this.fail(
      new GatewayError('malformed_request', { logCause: `the connection broke off: ${reasonOf(error)}` }),
    )
  }

  readonly #onClose = (): void => {
    if (this.#source.readableEnded) return
    this.fail(new GatewayError('malformed_request', { logCause: 'the connection was closed' }))
  }

  #finish(): void {
    this.#isOver = true
    this.#letGo()
    const file: FormFile = {
      type: 'file',
      name: 'file',
      filename: 'file',
      mediaType: 'application/octet-stream',
      content: this.#content,
      head: noBytes,
      tail: noBytes,
    }
    this.#settled.resolve({ parts: [file], bytes: this.bytes, digest: undefined })
  }

  #letGo(): void {
    this.#source.off('data', this.#onData)
    this.#source.off('end', this.#onEnd)
    this.#source.off('close', this.#onClose)
  }
}
