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

/** A ledger below this size reports quickly without reading ahead. */
const LARGE_BYTES = 64 * 1024 ** 2

/**
 * A report needs the names of all subjects and the sums of its groups; of what it reads, each block is
 * garbage as soon as it is added up, and a small young generation gives it back early.
 */
const readerMemory: ResourceLimits = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 1_024 }

export interface OpenLedgerReader extends LedgerReader {
  /**
   * Starts the thread where the ledger is large, and has it read what most reports need. Fulfilled once that is done.
   */
  readAhead(): Promise<void>
  /** Ends what is under way, reading ahead included. */
  close(): Promise<void>
}

export interface LedgerReaderOptions {
  /** The size of the ledger from which `readAhead` has an effect. */
  readonly largeBytes?: number
  readonly memory?: ResourceLimits
}

/**
 * Reports on the ledger of the data folder, from a thread of their own. It starts for the first one, or to
 * read ahead; one that failed, for the next. By then the ledger must be open for writing.
 */
export function createLedgerReader(
  dataFolder: string,
  { largeBytes = LARGE_BYTES, memory = readerMemory }: LedgerReaderOptions = {},
): OpenLedgerReader {
  const file = join(dataFolder, 'ledger.db')
  let opening: Promise<ReaderThread> | undefined
  let readingAhead: Promise<void> | undefined
  let isClosed = false

  async function readAhead(): Promise<void> {
    try {
      if (statSync(file).size >= largeBytes) await ask<'read-ahead'>({ type: 'read-ahead' })
    } catch (error) {
      if (!isClosed) throw error
    }
  }

  async function open(): Promise<ReaderThread> {
    opening ??= openReaderThread(file, memory).catch((error: unknown) => {
      opening = undefined
      throw storeUnavailable(reasonOf(error), error)
    })
    const asked = opening
    const thread = await asked
    if (!thread.hasEnded || isClosed) return thread
    if (opening === asked) opening = undefined
    return open()
  }

  async function ask<Type extends ReaderAsk['type']>(
    request: Extract<ReaderAsk, { type: Type }>,
  ): Promise<Extract<ReaderAnswer, { type: Type }>> {
    const thread = await open()
    const answer = await thread.ask(request)
    if (isAnswerTo(answer, request.type)) return answer
    if (answer.type === 'too-slow') throw new GatewayError('report_too_slow')
    throw storeUnavailable(`the thread of ${file} answered something else`)
  }

  return {
    usage: async (query) => (await ask<'usage'>({ type: 'usage', query })).page,
    rows: async (query) => (await ask<'rows'>({ type: 'rows', query })).page,
    rowsOf: async (requestId) => (await ask<'rows-of'>({ type: 'rows-of', requestId })).rows,
    export: (query) =>
      exportChunks(async (position) => (await ask<'export'>({ type: 'export', query, position })).chunk),
    verify: async (nowMs) => (await ask<'verify'>({ type: 'verify', nowMs })).check,
    readAhead() {
      readingAhead = readAhead()
      return readingAhead
    },
    async close() {
      isClosed = true
      await (await opening)?.close()
      await Promise.allSettled([readingAhead])
    },
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

/** Each chunk is made while the one before it is taken. */
async function* exportChunks(
  read: (position: ExportPosition | undefined) => Promise<ExportChunk>,
): AsyncGenerator<Buffer, void, undefined> {
  for (let coming: Promise<ExportChunk> | undefined = read(undefined); coming !== undefined; ) {
    const { bytes, position }: ExportChunk = await coming
    coming = position === undefined ? undefined : read(position)
    // Nobody waits for this part any more, so its failure is ignored.
    coming?.catch(() => undefined)
    const { buffer, byteOffset, byteLength } = bytes
    if (byteLength > 0) yield Buffer.from(buffer, byteOffset, byteLength)
  }
}
