import { readFileSync } from 'node:fs'

/** The descriptors for one connection. A connection of a caller may need another one to a provider. */
const PER_CONNECTION = 2

/** Writes advice where the process may not open as many files as `limits.connections` needs. Undefined where it may. */
export function describeDescriptorShortfall(
  limit: number | undefined,
  connections: number,
): string | undefined {
  const needed = connections * PER_CONNECTION
  if (limit === undefined || limit >= needed) return undefined
  return `this process may open ${limit} files, and limits.connections (${connections}) can need ${needed}; raise the limit (LimitNOFILE of the unit, ulimits of the container, ulimit -n) or lower limits.connections`
}

/** Reads the process's own limit on file descriptors. Undefined where the system reports none. */
export function readDescriptorLimit(): number | undefined {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return limit === undefined ? undefined : Number(limit)
  } catch {
    // The file exists only on Linux.
    return undefined
  }
}
