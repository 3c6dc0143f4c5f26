import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { CheckInput } from '../forms/inputs.tsx'
import { t } from '../language/language.ts'
import { navigationFor } from '../shell/navigation.ts'
import { useShell } from '../shell/shell-context.ts'
import { chooseSingleKeys, haveSingleKeys, useSingleKeys } from '../shell/single-keys.ts'
import { usePermissions } from '../shell/use-me.ts'
import { monotonicMs } from '../time/clock.ts'
import { Dialog } from '../ui/dialog.tsx'
import { paletteKeys } from './palette-keys.ts'

/** The time limit for the second key of a two-key shortcut. */
const PAIR_MS = 1_500

/**
 * Listens for the shortcuts that work on every page. Keys typed into a field are ignored, and single keys also where
 * the user has turned them off.
 */
export function useGlobalShortcuts(): void {
  const navigate = useNavigate()
  const permissions = usePermissions()
  const { openPalette, openShortcuts } = useShell()
  const pressedG = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => {
    const items = navigationFor(permissions).flatMap((section) => section.items)
    const onKeyDown = (event: KeyboardEvent) => {
      const { key } = event
      if ((event.ctrlKey || event.metaKey) && key.toLowerCase() === 'k') {
        event.preventDefault()
        openPalette()
        return
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (!haveSingleKeys()) return
      const isSecond = monotonicMs() - pressedG.current < PAIR_MS
      pressedG.current = key === 'g' ? monotonicMs() : Number.NEGATIVE_INFINITY
      const item = items.find(({ shortcut }) => shortcut === key)
      if (isSecond && item !== undefined) void navigate({ to: item.to })
      else if (key === '?') openShortcuts()
      else if (key === '/') focusSearch(event)
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [navigate, permissions, openPalette, openShortcuts])
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (document.querySelector('[role="dialog"], [role="menu"]') !== null) return true
  return target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
}

function focusSearch(event: KeyboardEvent): void {
  const field = document.querySelector<HTMLInputElement>('[data-search]')
  if (field === null) return
  event.preventDefault()
  field.focus()
}

interface ShortcutListProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** The shortcuts that work, and the switch of those of single keys. */
export function ShortcutList({ isOpen, onClose }: ShortcutListProps) {
  const isOn = useSingleKeys()
  const field = { name: 'single_keys', value: isOn, error: undefined, onChange: chooseSingleKeys }
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={t('shortcuts.title')}>
      <CheckInput
        field={field}
        label={t('shortcuts.single_keys')}
        hint={t('shortcuts.single_keys.hint', { keys: paletteKeys.join(' ') })}
      />
      <h3 className="mt-5 mb-2 font-medium text-muted">{t('shortcuts.general')}</h3>
      <ul className="space-y-1.5">
        <ShortcutRow keys={paletteKeys} label={t('shortcuts.palette')} />
        {isOn && <ShortcutRow keys={['/']} label={t('shortcuts.search')} />}
        {isOn && <ShortcutRow keys={['?']} label={t('shortcuts.list')} />}
        <ShortcutRow keys={['Esc']} label={t('shortcuts.close')} />
      </ul>
      {isOn && <PageShortcuts />}
    </Dialog>
  )
}

function PageShortcuts() {
  const items = navigationFor(usePermissions()).flatMap((section) => section.items)
  return (
    <>
      <h3 className="mt-5 mb-2 font-medium text-muted">{t('shortcuts.go')}</h3>
      <ul className="space-y-1.5">
        {items.map(({ to, shortcut, label }) => (
          <ShortcutRow key={to} keys={['g', shortcut]} label={t(label)} />
        ))}
      </ul>
    </>
  )
}

function ShortcutRow({ keys, label }: { readonly keys: readonly string[]; readonly label: string }) {
  return (
    <li className="flex items-center justify-between gap-4">
      <span>{label}</span>
      <span className="flex gap-1">
        {keys.map((key) => (
          <kbd
            key={key}
            className="min-w-6 rounded border border-line bg-sunken px-1.5 py-0.5 text-center text-xs"
          >
            {key}
          </kbd>
        ))}
      </span>
    </li>
  )
}
