import { useSyncExternalStore } from 'react'
import { lastingStorage } from '../browser/browser-storage.ts'
import { ChangeListeners } from '../browser/change-listeners.ts'

const listeners = new ChangeListeners()

/** Whether shortcuts of single keys work in this browser. Speech input may trigger them by accident (WCAG 2.1.4). */
export function haveSingleKeys(): boolean {
  return lastingStorage.read('single-keys') !== 'off'
}

export function chooseSingleKeys(isOn: boolean): void {
  if (isOn) lastingStorage.remove('single-keys')
  else lastingStorage.write('single-keys', 'off')
  listeners.notify()
}

export function useSingleKeys(): boolean {
  return useSyncExternalStore(listeners.subscribe, haveSingleKeys)
}
