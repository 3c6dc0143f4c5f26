import { once } from 'node:events'
import { type ResourceLimits, Worker } from 'node:worker_threads'

/** The program of a thread. */
export interface ThreadProgram {
  readonly script: URL
  /** The limits of the thread's JavaScript heap. A thread that exceeds them ends. */
  readonly memory?: ResourceLimits
}

/** A thread whose program is loaded. It opens one file after another, or several at a time. */
export interface ProgramThread {
  readonly worker: Worker
  /** Ends the thread, or gives it to the next user of its program. Its files must be closed. */
  release(): Promise<void>
}

/** A thread whose program is loaded or being loaded. */
export type LoadedThread = ProgramThread | Promise<ProgramThread>

/** A source of threads that are loaded before a file is opened. */
export interface ThreadSource {
  /** Returns a thread of the program, or undefined if the caller must load one. */
  claim(program: ThreadProgram): LoadedThread | undefined
}

/** The main thread has a larger young generation, for the requests in flight. Objects of a store die at once. */
const MAX_YOUNG_GENERATION_MB = 12

/** Starts a thread that loads its program and waits for a file. Loading takes far longer than opening the file. */
export async function loadThread({ script, memory }: ThreadProgram): Promise<ProgramThread> {
  const worker = new Worker(script, {
    resourceLimits: { maxYoungGenerationSizeMb: MAX_YOUNG_GENERATION_MB, ...memory },
  })
  await once(worker, 'message')
  return { worker, release: async () => void (await worker.terminate()) }
}
