import { loadThread, type ProgramThread, type ThreadProgram, type ThreadSource } from './program-thread.ts'

/** Threads whose programs load in parallel with other work, since loading takes far longer than opening a file. */
export class ThreadsAhead implements ThreadSource {
  readonly #loading: Map<ThreadProgram, Promise<ProgramThread>>

  constructor(programs: readonly ThreadProgram[], load = loadThread) {
    this.#loading = new Map(programs.map((program) => [program, load(program)]))
    // The caller that claims a thread gets its failure. If no caller claims it, the failure is ignored.
    for (const loading of this.#loading.values()) loading.catch(() => undefined)
  }

  /** Returns the thread of a program to the first caller, and undefined to later callers. */
  claim(program: ThreadProgram): Promise<ProgramThread> | undefined {
    const loading = this.#loading.get(program)
    this.#loading.delete(program)
    return loading
  }

  /** Ends the threads that were not claimed. */
  async close(): Promise<void> {
    const left = [...this.#loading.values()]
    this.#loading.clear()
    for (const loaded of await Promise.allSettled(left))
      if (loaded.status === 'fulfilled') await loaded.value.release()
  }
}
