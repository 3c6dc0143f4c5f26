import { Readable } from 'node:stream'
import { GatewayError } from '../../canonical/failure.ts'
import type { NanoDollars } from '../../canonical/money.ts'
import type { FormFile } from '../../canonical/uploads/uploaded-form.ts'
import type { PriceVersion } from '../../catalog/prices/price.ts'
import { priceAt } from '../../catalog/prices/price-history.ts'
import { brand } from '../../kit/brand.ts'
import { nextTurn } from '../../kit/time/clock.ts'
import type { Candidate } from '../../routing/candidate.ts'
import type { BatchInputFacts } from '../../stored-answers/remote-object.ts'
import type { UploadBody } from '../../uploads/upload-body.ts'
import { namesStoredObjects } from '../../wire/verbatim/names-stored-objects.ts'
import type { OperationRequest } from '../exchange/caller-request.ts'
import type { Exchange } from '../exchange/exchange.ts'
import { refuseSteering } from '../lane/refuse-steering.ts'
import type { FoundOwner } from '../retrieval/owner-lane.ts'
import { type BatchLine, lineFault, readBatchLine, writeBatchLine } from './batch-line.ts'
import { costOfLine } from './line-cost.ts'
import type { ObjectCall } from './object-input.ts'
import { linesOf } from './read-lines.ts'

/** The limit of https://platform.openai.com/docs/guides/batch, seen 2026-11-24. */
const MAX_LINES = 50_000
/** The number of lines after which other requests get a turn. */
const LINES_A_TURN = 50

export interface BatchInput {
  readonly owner: FoundOwner
  readonly facts: BatchInputFacts
  /** The number of bytes of the file with the upstream's name of the model in each line. */
  readonly bytes: number
}

/** Opens a line as a separate request and checks its model, its permission and its bounds. */
export type OpenLine = (request: OperationRequest) => Exchange

/**
 * Reads every line of a batch's input. All lines must use the same model and path, and each is checked like a separate
 * request. Rejects with `GatewayError`.
 */
export async function readBatchInput(
  file: FormFile,
  call: ObjectCall,
  openLine: OpenLine,
): Promise<BatchInput> {
  const reader = new BatchReader(call, openLine)
  for await (const bytes of linesOf(file.content)) {
    reader.add(bytes)
    if (reader.lines % LINES_A_TURN === 0) await nextTurn()
  }
  return reader.end()
}

interface FirstLine {
  readonly url: string
  readonly model: string
  readonly owner: FoundOwner
  readonly price: PriceVersion | undefined
}

class BatchReader {
  lines = 0
  readonly #call: ObjectCall
  readonly #openLine: OpenLine
  #first: FirstLine | undefined
  #bytes = 0
  #worst = 0

  constructor(call: ObjectCall, openLine: OpenLine) {
    this.#call = call
    this.#openLine = openLine
  }

  add(bytes: Buffer): void {
    this.lines += 1
    if (this.lines > MAX_LINES)
      throw new GatewayError('request_too_large', { message: `The file has more than ${MAX_LINES} lines.` })
    const line = readBatchLine(bytes, this.lines)
    const exchange = this.#open(line)
    this.#first ??= this.#begin(line, exchange)
    const { url, model, owner, price } = this.#first
    if (line.url !== url) throw lineFault(this.lines, `must have the "url" of the first line, ${url}`)
    if (exchange.scanned.model !== model)
      throw lineFault(this.lines, 'asks another model than the first line; a batch asks one')
    if (namesStoredObjects(line.body.chunks))
      throw lineFault(this.lines, 'names a file or another object that is stored, which a batch cannot')
    const { target } = owner.candidate
    refuseSteering(exchange, target, owner.provider)
    this.#bytes += writeBatchLine(line, target.upstreamModel).length
    if (price !== undefined) this.#worst += costOfLine({ exchange, target, price }, this.#call)
  }

  end(): BatchInput {
    if (this.#first === undefined)
      throw new GatewayError('invalid_field', { param: 'file', message: 'The file has no lines.' })
    const { url, owner, price } = this.#first
    const cost = brand<NanoDollars>(this.#worst)
    const worst = price === undefined ? undefined : { cost, priceVersion: price.id }
    return { owner, bytes: this.#bytes, facts: { endpoint: url, lines: this.lines, worst } }
  }

  #open({ format, body }: BatchLine): Exchange {
    const { request } = this.#call
    try {
      return this.#openLine({ ...request, type: 'operation', format, body, form: undefined, headers: {} })
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      const { code, message, param } = error.failure
      const more = { message: `Line ${this.lines} of the file: ${message}` }
      throw new GatewayError(code, param === undefined ? more : { ...more, param }, { cause: error })
    }
  }

  #begin({ url, format }: BatchLine, { route, scanned }: Exchange): FirstLine {
    const { providers, clock } = this.#call
    const isResponses = format.family === 'responses'
    const able = route.targets.filter(({ channel }) => {
      const provider = providers.find(channel.provider)
      return (
        provider?.endpoints?.batches !== undefined && (!isResponses || provider.formats.includes('responses'))
      )
    })
    const [target] = able.toSorted((one, other) => other.channel.priority - one.channel.priority)
    const provider = target && providers.find(target.channel.provider)
    if (target === undefined || provider === undefined)
      throw new GatewayError('operation_not_supported', {
        param: 'model',
        message: `No channel of the model ${JSON.stringify(scanned.model.slice(0, 256))} takes batches of ${url}.`,
      })
    const [credential] = target.channel.credentials
    const candidate: Candidate = {
      target,
      credential,
      publicName: route.publicName,
      operation: 'conversation',
      isProbe: false,
    }
    const price = target.prices && priceAt(target.prices, clock.nowMs())
    return { url, model: scanned.model, owner: { candidate, provider }, price }
  }
}

/**
 * Creates the form that uploads a batch's input. The file is written again, line by line, each time the form is sent.
 */
export function writeUpload(file: FormFile, { owner, bytes }: BatchInput, boundary: string) {
  const head = Buffer.from(
    `--${boundary}\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n` +
      `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="batch.jsonl"\r\n` +
      'content-type: application/jsonl\r\n\r\n',
  )
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`)
  const { upstreamModel } = owner.candidate.target
  async function* write() {
    yield head
    let number = 0
    for await (const line of linesOf(file.content)) {
      number += 1
      yield writeBatchLine(readBatchLine(line, number), upstreamModel)
      if (number % LINES_A_TURN === 0) await nextTurn()
    }
    yield tail
  }
  const body: UploadBody = {
    length: head.length + bytes + tail.length,
    open: () => Readable.from(write(), { objectMode: false }),
  }
  return { contentType: `multipart/form-data; boundary=${boundary}`, body }
}
