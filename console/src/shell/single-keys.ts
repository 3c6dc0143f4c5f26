import { useSyncExternalStore } from 'react'
import { lastingStorage } from '../browser/browser-storage.ts'

const listeners = new Set<() => void>()

/** Whether shortcuts of single keys work in this browser. Speech input may trigger them by accident (WCAG 2.1.4). */
export function haveSingleKeys(): boolean {
  return lastingStorage.read('single-keys') !== 'off'
}

export function chooseSingleKeys(isOn: boolean): void {
  if (isOn) lastingStorage.remove('single-keys')
  else lastingStorage.write('single-keys', 'off')
  for (const listener of listeners) listener()
}

export function useSingleKeys(): boolean {
  return useSyncExternalStore(subscribe, haveSingleKeys)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
