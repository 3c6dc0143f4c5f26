import { useCallback, useEffect, useRef, useSyncExternalStore } from 'react'
import { ChangeListeners } from '../../browser/change-listeners.ts'
import type { MadeKey } from './key-form.ts'

let late: readonly MadeKey[] = []
const listeners = new ChangeListeners()

function change(next: readonly MadeKey[]): void {
  late = next
  listeners.notify()
}

function subscribe(listener: () => void): () => void {
  const unsubscribe = listeners.subscribe(listener)
  return () => {
    unsubscribe()
    // Secrets are for the user who is signed in.
    if (listeners.isEmpty) late = []
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
      else if (!listeners.isEmpty) change([...late, made])
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
