import { statSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { ResourceLimits } from 'node:worker_threads'
import { GatewayError } from '../../canonical/failure.ts'
import { reasonOf } from '../../kit/errors/reason-of.ts'
import type { LedgerReader } from '../../metering/ledger-reader.ts'
import { adviseOnFault } from '../sqlite/advise-on-fault.ts'
import { openingError } from '../sqlite/opening-error.ts'
import { storeUnavailable } from '../sqlite/store-fault.ts'
import { openStoreThread, type StoreThread } from '../sqlite/store-thread.ts'
import { isAnswerTo } from '../sqlite/thread-protocol.ts'
import type { ReaderAnswer, ReaderAsk } from './reader-protocol.ts'
import type { ExportChunk, ExportPosition } from './rows/export-rows.ts'

const whenDamaged = 'restore it from a copy'

/** A smaller ledger reports quickly without reading ahead. */
const LARGE_BYTES = 64 * 1024 ** 2

/**
 * A report needs memory for the names of all subjects and the sums of its groups. Each block that it reads is garbage
 * as soon as it is added up, and a small young generation frees that memory early.
 */
const readerMemory: ResourceLimits = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 1_024 }

export interface OpenLedgerReader extends LedgerReader {
  /**
   * Starts the thread where the ledger is large, and reads the data that most reports need. Fulfilled once that is
   * done.
   */
  readAhead(): Promise<void>
  /** Ends requests in progress and reading ahead. */
  close(): Promise<void>
}

export interface LedgerReaderOptions {
  /** The size of the ledger from which `readAhead` has an effect. */
  readonly largeBytes?: number
  readonly memory?: ResourceLimits
}

/**
 * Reports on the ledger of the data folder from a separate thread. The thread starts for the first report or for
 * reading ahead. After a failure it starts again for the next report. The ledger must be open for writing by then.
 */
export function createLedgerReader(
  dataFolder: string,
  { largeBytes = LARGE_BYTES, memory = readerMemory }: LedgerReaderOptions = {},
): OpenLedgerReader {
  const thread = new RestartingThread(join(dataFolder, 'ledger.db'), memory)
  let readingAhead: Promise<void> | undefined
  return {
    usage: async (query) => (await thread.ask<'usage'>({ type: 'usage', query })).page,
    rows: async (query) => (await thread.ask<'rows'>({ type: 'rows', query })).page,
    rowsOf: async (requestId) => (await thread.ask<'rows-of'>({ type: 'rows-of', requestId })).rows,
    export: (query) =>
      exportChunks(
        async (position) => (await thread.ask<'export'>({ type: 'export', query, position })).chunk,
      ),
    verify: async (nowMs) => (await thread.ask<'verify'>({ type: 'verify', nowMs })).check,
    readAhead() {
      readingAhead = readAhead(thread, largeBytes)
      return readingAhead
    },
    async close() {
      await thread.close()
      await Promise.allSettled([readingAhead])
    },
  }
}

async function readAhead(thread: RestartingThread, largeBytes: number): Promise<void> {
  try {
    if (statSync(thread.file).size >= largeBytes) await thread.ask<'read-ahead'>({ type: 'read-ahead' })
  } catch (error) {
    if (!thread.isClosed) throw error
  }
}

/**
 * The thread that reads the ledger. It starts for the first request, and after a failure again for the next request.
 */
class RestartingThread {
  readonly file: string
  readonly #memory: ResourceLimits
  #opening: Promise<ReaderThread> | undefined
  #isClosed = false

  constructor(file: string, memory: ResourceLimits) {
    this.file = file
    this.#memory = memory
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  async ask<Type extends ReaderAsk['type']>(
    request: Extract<ReaderAsk, { type: Type }>,
  ): Promise<Extract<ReaderAnswer, { type: Type }>> {
    const thread = await this.#open()
    const answer = await thread.ask(request)
    if (isAnswerTo(answer, request.type)) return answer
    if (answer.type === 'too-slow') throw new GatewayError('report_too_slow')
    throw storeUnavailable(`the thread of ${this.file} answered something else`)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await (await this.#opening)?.close()
  }

  async #open(): Promise<ReaderThread> {
    this.#opening ??= openReaderThread(this.file, this.#memory).catch((error: unknown) => {
      this.#opening = undefined
      throw storeUnavailable(reasonOf(error), error)
    })
    const opening = this.#opening
    const thread = await opening
    if (!thread.hasEnded || this.#isClosed) return thread
    if (this.#opening === opening) this.#opening = undefined
    return this.#open()
  }
}

type ReaderThread = StoreThread<ReaderAsk, ReaderAnswer>

function openReaderThread(file: string, memory: ResourceLimits): Promise<ReaderThread> {
  return openStoreThread({
    script: new URL(`./reader-worker${extname(new URL(import.meta.url).pathname)}`, import.meta.url),
    file,
    openingError: (fault) => openingError(file, fault, whenDamaged),
    memory,
    readFault: (fault) => storeUnavailable(`${file}: ${adviseOnFault(fault, whenDamaged)}`),
  })
}

/** Reads each chunk while the consumer handles the previous one. */
async function* exportChunks(
  read: (position: ExportPosition | undefined) => Promise<ExportChunk>,
): AsyncGenerator<Buffer, void, undefined> {
  for (let coming: Promise<ExportChunk> | undefined = read(undefined); coming !== undefined; ) {
    const { bytes, position }: ExportChunk = await coming
    coming = position === undefined ? undefined : read(position)
    // Nothing waits for this chunk any more, so its failure is ignored.
    coming?.catch(() => undefined)
    const { buffer, byteOffset, byteLength } = bytes
    if (byteLength > 0) yield Buffer.from(buffer, byteOffset, byteLength)
  }
}
