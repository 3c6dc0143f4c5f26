import { existsSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { findRestartSocket } from '../src/storage/owner/owner-socket.ts'

const LOOK_EVERY_MS = 20

/** Waits until all workers of an installation serve: its supervisor listens for orders from then on. */
export async function untilAllServe(dataFolder: string): Promise<void> {
  while (!existsSync(findRestartSocket(dataFolder))) await setTimeout(LOOK_EVERY_MS)
}
