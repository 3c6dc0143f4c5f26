import { readFileSync } from 'node:fs'

const ESTABLISHED = '01'

/** The open connections to a port of 127.0.0.1 that a process has accepted, as Linux lists them. */
export function countAccepted(port: number): number {
  const local = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, address, , state, , , , , , inode]) => {
      // One that nobody has accepted yet has no inode.
      return address === local && state === ESTABLISHED && inode !== '0'
    }).length
}
