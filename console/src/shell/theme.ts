import { useSyncExternalStore } from 'react'
import { lastingStorage } from '../browser/browser-storage.ts'
import { ChangeListeners } from '../browser/change-listeners.ts'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const listeners = new ChangeListeners()

function readTheme(): Theme {
  const stored = lastingStorage.read('theme')
  return themes.find((theme) => theme === stored) ?? 'system'
}

export function chooseTheme(theme: Theme): void {
  if (theme === 'system') lastingStorage.remove('theme')
  else lastingStorage.write('theme', theme)
  show(theme)
}

function show(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
  listeners.notify()
}

/** Follows the theme that is chosen in another tab. */
export function followTheme(): void {
  window.addEventListener('storage', () => show(readTheme()))
}

export function useTheme(): Theme {
  return useSyncExternalStore(listeners.subscribe, readTheme)
}
