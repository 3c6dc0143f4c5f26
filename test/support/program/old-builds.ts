import { globSync, rmSync, statSync, utimesSync } from 'node:fs'

const MAX_AGE_MS = 24 * 3_600_000

/** Marks a build as used now, and removes the others of a pattern that no run has used for a day. */
export function keepBuild(folder: string, pattern: string): void {
  const nowMs = Date.now()
  utimesSync(folder, nowMs / 1_000, nowMs / 1_000)
  for (const other of globSync(pattern)) {
    const usedAtMs = statSync(other, { throwIfNoEntry: false })?.mtimeMs ?? nowMs
    if (nowMs - usedAtMs > MAX_AGE_MS) rmSync(other, { recursive: true, force: true })
  }
}
