import { extname, join } from 'node:path'
import type { RequestLogStore } from '../../request-log/request-log-store.ts'
import { makeDataFolder } from '../files/make-data-folder.ts'
import { adviseOnFault } from '../sqlite/advise-on-fault.ts'
import { openingError } from '../sqlite/opening-error.ts'
import type { LoadedThread, ThreadProgram } from '../sqlite/program-thread.ts'
import { storeUnavailable } from '../sqlite/store-fault.ts'
import { openStoreThread } from '../sqlite/store-thread.ts'
import type { RequestLogAnswer, RequestLogAsk } from './request-log-protocol.ts'

/** No other store depends on the request log. */
const whenDamaged = 'move it away, and another one is made'

export const requestLogThread: ThreadProgram = {
  script: new URL(`./request-log-worker${extname(new URL(import.meta.url).pathname)}`, import.meta.url),
}

/**
 * Opens `requests.db` in the data folder and migrates its tables. It runs in a separate thread, so that its writes
 * and searches do not block those of `headgate.db`. Throws an error for the operator.
 */
export async function openRequestLog(dataFolder: string, loaded?: LoadedThread): Promise<RequestLogStore> {
  makeDataFolder(dataFolder)
  const file = join(dataFolder, 'requests.db')
  const thread = await openStoreThread<RequestLogAsk, RequestLogAnswer>({
    ...requestLogThread,
    loaded,
    file,
    openingError: (fault) => openingError(file, fault, whenDamaged),
    readFault: (fault) => storeUnavailable(`${file}: ${adviseOnFault(fault, whenDamaged)}`),
  })

  async function ask<Type extends RequestLogAnswer['type']>(
    request: Extract<RequestLogAsk, { type: Type }>,
    isAnswer: (answer: RequestLogAnswer) => answer is Extract<RequestLogAnswer, { type: Type }>,
  ): Promise<Extract<RequestLogAnswer, { type: Type }>> {
    const answer = await thread.ask(request)
    if (isAnswer(answer)) return answer
    throw storeUnavailable(`the thread of ${file} answered something else`)
  }

  return {
    async append(rows) {
      await ask<'append'>({ type: 'append', rows }, isAppended)
    },
    page: async (query) => (await ask<'page'>({ type: 'page', query }, isPage)).page,
    find: async (requestId) => (await ask<'find'>({ type: 'find', requestId }, isFound)).request,
    callers: async (query) => (await ask<'callers'>({ type: 'callers', query }, isCallers)).list,
    traffic: async (query) => (await ask<'traffic'>({ type: 'traffic', query }, isTraffic)).report,
    copyTo: async (path) => void (await ask<'copy'>({ type: 'copy', path }, isCopied)),
    prune: (limits) => ask<'prune'>({ type: 'prune', limits }, isPruned),
    close: () => thread.close(),
  }
}

type AnswerOf<Type> = Extract<RequestLogAnswer, { type: Type }>
const isAppended = (answer: RequestLogAnswer): answer is AnswerOf<'append'> => answer.type === 'append'
const isPage = (answer: RequestLogAnswer): answer is AnswerOf<'page'> => answer.type === 'page'
const isFound = (answer: RequestLogAnswer): answer is AnswerOf<'find'> => answer.type === 'find'
const isCallers = (answer: RequestLogAnswer): answer is AnswerOf<'callers'> => answer.type === 'callers'
const isTraffic = (answer: RequestLogAnswer): answer is AnswerOf<'traffic'> => answer.type === 'traffic'
const isPruned = (answer: RequestLogAnswer): answer is AnswerOf<'prune'> => answer.type === 'prune'
const isCopied = (answer: RequestLogAnswer): answer is AnswerOf<'copy'> => answer.type === 'copy'
