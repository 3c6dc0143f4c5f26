import { useCallback, useEffect, useRef, useSyncExternalStore } from 'react'
import type { MadeKey } from './key-form.ts'

let late: readonly MadeKey[] = []
const listeners = new Set<() => void>()

function change(next: readonly MadeKey[]): void {
  late = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    // Secrets are for the user who is signed in.
    if (listeners.size === 0) late = []
  }
}

/**
 * Passes a secret to the dialog that asked for it. If that is gone by now, every page shows the secret, as it cannot be
 * read later.
 */
export function useLateSecret(onMade: (made: MadeKey) => void): (made: MadeKey) => void {
  const isGone = useRef(false)
  useEffect(() => {
    isGone.current = false
    return () => {
      isGone.current = true
    }
  }, [])
  return useCallback(
    (made) => {
      if (!isGone.current) onMade(made)
      else if (listeners.size > 0) change([...late, made])
    },
    [onMade],
  )
}

/** The secrets that arrived after their dialog was gone. */
export function useLateSecrets(): readonly MadeKey[] {
  return useSyncExternalStore(subscribe, () => late)
}

/** Removes the first of them, which the user has seen. */
export function dropLateSecret(): void {
  change(late.slice(1))
}
