import { loadThread, type ProgramThread, type ThreadProgram, type ThreadSource } from './program-thread.ts'

interface SharedThread {
  readonly loading: Promise<ProgramThread>
  users: number
}

/**
 * One thread of each program, which several users share, each with files of its own. A thread ends with its last
 * user. The owner of this object is a user of the threads that it loads ahead.
 */
export class SharedThreads implements ThreadSource {
  readonly #load: (program: ThreadProgram) => Promise<ProgramThread>
  readonly #threads = new Map<ThreadProgram, SharedThread>()
  #owned: Promise<ProgramThread>[]

  /** Loads the programs in parallel with other work, since loading takes far longer than opening a file. */
  constructor(ahead: readonly ThreadProgram[], load = loadThread) {
    this.#load = load
    this.#owned = ahead.map((program) => this.claim(program))
    // The next user of a program gets its failure. Without one, the failure is ignored.
    for (const loading of this.#owned) loading.catch(() => undefined)
  }

  async claim(program: ThreadProgram): Promise<ProgramThread> {
    const shared = this.#threads.get(program) ?? this.#start(program)
    shared.users += 1
    const { worker, release } = await shared.loading
    return {
      worker,
      release: async () => {
        shared.users -= 1
        if (shared.users > 0) return
        this.#forget(program, shared)
        await release()
      },
    }
  }

  /** Ends the threads that no other user has. */
  async close(): Promise<void> {
    const owned = this.#owned
    this.#owned = []
    for (const loaded of await Promise.allSettled(owned))
      if (loaded.status === 'fulfilled') await loaded.value.release()
  }

  #start(program: ThreadProgram): SharedThread {
    const shared = { loading: this.#load(program), users: 0 }
    this.#threads.set(program, shared)
    // A thread that ends by a fault is replaced for the next user. A program that does not load fails for each one.
    shared.loading.then(
      ({ worker }) => worker.once('exit', () => this.#forget(program, shared)),
      () => undefined,
    )
    return shared
  }

  #forget(program: ThreadProgram, shared: SharedThread): void {
    if (this.#threads.get(program) === shared) this.#threads.delete(program)
  }
}
