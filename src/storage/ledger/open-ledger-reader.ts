import { extname, join } from 'node:path'
import { GatewayError } from '../../canonical/failure.ts'
import { reasonOf } from '../../kit/values/reason-of.ts'
import type { ExportQuery, LedgerReader } from '../../metering/ledger-reader.ts'
import { adviseOnFault } from '../sqlite/advise-on-fault.ts'
import { describeRefusal } from '../sqlite/describe-refusal.ts'
import { storeUnavailable } from '../sqlite/store-fault.ts'
import { openStoreThread, type StoreThread } from '../sqlite/store-thread.ts'
import { isAnswerTo } from '../sqlite/thread-protocol.ts'
import type { ReaderAnswer, ReaderAsk } from './reader-protocol.ts'
import type { ExportChunk, ExportPosition } from './rows/export-rows.ts'

const whenDamaged = 'restore it from a copy'

export interface OpenLedgerReader extends LedgerReader {
  close(): Promise<void>
}

/**
 * Reports on the ledger of the data folder, from a thread of their own, which is started for the first one. By then the
 * ledger must be open for writing.
 */
export function createLedgerReader(dataFolder: string): OpenLedgerReader {
  const file = join(dataFolder, 'ledger.db')
  let opening: Promise<ReaderThread> | undefined

  function open(): Promise<ReaderThread> {
    opening ??= openReaderThread(file).catch((error: unknown) => {
      opening = undefined
      throw storeUnavailable(reasonOf(error))
    })
    return opening
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

  async function* exportRows(query: ExportQuery): AsyncGenerator<Buffer, void, undefined> {
    const read = async (position: ExportPosition | undefined): Promise<ExportChunk> =>
      (await ask<'export'>({ type: 'export', query, position })).chunk
    // One chunk is made while the one before is taken.
    for (let coming: Promise<ExportChunk> | undefined = read(undefined); coming !== undefined; ) {
      const { bytes, position }: ExportChunk = await coming
      coming = position === undefined ? undefined : read(position)
      // Where nobody waits for it any more.
      coming?.catch(() => undefined)
      const { buffer, byteOffset, byteLength } = bytes
      if (byteLength > 0) yield Buffer.from(buffer, byteOffset, byteLength)
    }
  }

  return {
    usage: async (query) => (await ask<'usage'>({ type: 'usage', query })).page,
    rows: async (query) => (await ask<'rows'>({ type: 'rows', query })).page,
    rowsOf: async (requestId) => (await ask<'rows-of'>({ type: 'rows-of', requestId })).rows,
    export: exportRows,
    verify: async (nowMs) => (await ask<'verify'>({ type: 'verify', nowMs })).check,
    close: async () => (await opening)?.close(),
  }
}

type ReaderThread = StoreThread<ReaderAsk, ReaderAnswer>

function openReaderThread(file: string): Promise<ReaderThread> {
  return openStoreThread({
    script: new URL(`./reader-worker${extname(new URL(import.meta.url).pathname)}`, import.meta.url),
    file,
    describeRefusal: (fault) => describeRefusal(file, fault, whenDamaged),
    readFault: (fault) => storeUnavailable(`${file}: ${adviseOnFault(fault, whenDamaged)}`),
  })
}
