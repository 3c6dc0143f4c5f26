import type { Worker } from 'node:worker_threads'
import { loadThread, type ThreadProgram } from './store-thread.ts'

/** Threads whose programs load while something else is done, since that takes far longer than to open a file. */
export class ThreadsAhead {
  readonly #loading: Map<ThreadProgram, Promise<Worker>>

  constructor(programs: readonly ThreadProgram[], load = loadThread) {
    this.#loading = new Map(programs.map((program) => [program, load(program)]))
    // The one who takes a thread hears of a failure; nobody may.
    for (const loading of this.#loading.values()) loading.catch(() => undefined)
  }

  /** Gives the thread of a program to one caller; undefined for the others. */
  claim(program: ThreadProgram): Promise<Worker> | undefined {
    const loading = this.#loading.get(program)
    this.#loading.delete(program)
    return loading
  }

  /** Ends the threads that nobody has taken. */
  async close(): Promise<void> {
    const left = [...this.#loading.values()]
    this.#loading.clear()
    for (const loaded of await Promise.allSettled(left))
      if (loaded.status === 'fulfilled') await loaded.value.terminate()
  }
}
