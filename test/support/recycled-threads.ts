import {
  type LoadedThread,
  loadThread,
  type ProgramThread,
  type ThreadProgram,
  type ThreadSource,
} from '../../src/storage/sqlite/program-thread.ts'

/**
 * Threads that serve one gateway of a test after another. Three quarters of the processor time of a gateway's start are
 * the start of its three threads, and a file of tests starts many gateways.
 */
class RecycledThreads implements ThreadSource {
  readonly #idle = new Map<ThreadProgram, ProgramThread[]>()

  claim(program: ThreadProgram): LoadedThread {
    const thread = this.#idle.get(program)?.pop()
    if (thread === undefined) return this.#load(program)
    thread.worker.ref()
    return thread
  }

  async #load(program: ThreadProgram): Promise<ProgramThread> {
    const { worker } = await loadThread(program)
    const thread = { worker, release: async () => this.#giveBack(program, thread) }
    worker.once('exit', () => this.#forget(program, thread))
    return thread
  }

  #giveBack(program: ThreadProgram, thread: ProgramThread): void {
    // A thread that has ended has no ID any more.
    if (thread.worker.threadId === -1) return
    thread.worker.unref()
    this.#idle.set(program, [...(this.#idle.get(program) ?? []), thread])
  }

  #forget(program: ThreadProgram, thread: ProgramThread): void {
    const idle = this.#idle.get(program) ?? []
    this.#idle.set(
      program,
      idle.filter((other) => other !== thread),
    )
  }
}

export const recycledThreads: ThreadSource = new RecycledThreads()
