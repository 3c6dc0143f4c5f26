import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useId, useMemo, useState } from 'react'
import { currentLanguage, t } from '../language/language.ts'
import { navigationFor } from '../shell/navigation.ts'
import { useShell } from '../shell/shell-context.ts'
import { chooseTheme } from '../shell/theme.ts'
import { usePermissions } from '../shell/use-me.ts'
import { classNames } from '../ui/class-names.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'

interface Command {
  readonly id: string
  readonly label: string
  readonly icon: IconName
  readonly run: () => void
}

interface CommandPaletteProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Opens a page by a few letters of its name, or a request by its ID. */
export function CommandPalette({ isOpen, onClose }: CommandPaletteProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={t('palette.title')}>
      <Palette onClose={onClose} />
    </Dialog>
  )
}

function Palette({ onClose }: Pick<CommandPaletteProps, 'onClose'>) {
  const [typed, setTyped] = useState('')
  const [active, setActive] = useState(0)
  const listId = useId()
  const commands = useCommands(typed)
  const chosen = commands[Math.min(active, commands.length - 1)]
  const run = (command: Command | undefined) => {
    if (command === undefined) return
    onClose()
    command.run()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) {
      event.preventDefault()
      setActive((index) => (index + step + commands.length) % Math.max(1, commands.length))
    } else if (event.key === 'Enter') run(chosen)
  }
  useEffect(() => {
    document.getElementById(`${listId}-${chosen?.id}`)?.scrollIntoView({ block: 'nearest' })
  }, [chosen, listId])
  return (
    <>
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={chosen === undefined ? undefined : `${listId}-${chosen.id}`}
        aria-label={t('palette.title')}
        autoFocus
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value)
          setActive(0)
        }}
        onKeyDown={onKeyDown}
        placeholder={t('palette.placeholder')}
        autoComplete="off"
        spellCheck={false}
        className="input-frame w-full"
      />
      <CommandList listId={listId} commands={commands} chosen={chosen} onRun={run} />
    </>
  )
}

interface CommandListProps {
  readonly listId: string
  readonly commands: readonly Command[]
  readonly chosen: Command | undefined
  readonly onRun: (command: Command) => void
}

function CommandList({ listId, commands, chosen, onRun }: CommandListProps) {
  return (
    <>
      <div
        id={listId}
        role="listbox"
        aria-label={t('palette.title')}
        className="mt-3 max-h-80 overflow-y-auto"
      >
        {commands.map((command) => (
          <CommandRow
            key={command.id}
            id={`${listId}-${command.id}`}
            command={command}
            isActive={command === chosen}
            onRun={() => onRun(command)}
          />
        ))}
      </div>
      {commands.length === 0 && <p className="px-2 py-6 text-center text-muted">{t('palette.nothing')}</p>}
    </>
  )
}

interface CommandRowProps {
  readonly id: string
  readonly command: Command
  readonly isActive: boolean
  readonly onRun: () => void
}

function CommandRow({ id, command: { label, icon }, isActive, onRun }: CommandRowProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the input above has the focus and the keys.
    // biome-ignore lint/a11y/useFocusableInteractive: see above.
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      onClick={onRun}
      className={classNames(
        'flex cursor-pointer items-center gap-2.5 rounded-lg px-3 py-2',
        isActive ? 'bg-accent-soft text-accent' : 'hover:bg-hover',
      )}
    >
      <Icon name={icon} />
      {label}
    </div>
  )
}

function useCommands(typed: string): readonly Command[] {
  const navigate = useNavigate()
  const permissions = usePermissions()
  const { openShortcuts, changeLanguage } = useShell()
  const commands = useMemo(() => {
    const pages = navigationFor(permissions)
      .flatMap(({ items }) => items)
      .map(({ to, label, icon }) => ({
        id: to.slice(1),
        label: t(label),
        icon,
        run: () => void navigate({ to }),
      }))
    const otherLanguage = currentLanguage() === 'en' ? ('zh' as const) : ('en' as const)
    return [
      ...pages,
      {
        id: 'account',
        label: t('account.title'),
        icon: 'user',
        run: () => void navigate({ to: '/account' }),
      },
      { id: 'light', label: t('palette.light'), icon: 'sun', run: () => chooseTheme('light') },
      { id: 'dark', label: t('palette.dark'), icon: 'moon', run: () => chooseTheme('dark') },
      {
        id: 'language',
        label: t('palette.language'),
        icon: 'language',
        run: () => changeLanguage(otherLanguage),
      },
      { id: 'shortcuts', label: t('shortcuts.title'), icon: 'keyboard', run: openShortcuts },
    ] satisfies readonly Command[]
  }, [permissions, navigate, openShortcuts, changeLanguage])
  const text = typed.trim().toLowerCase()
  if (/^req_[\w-]{8,}$/.test(text)) {
    const open = () => void navigate({ to: `/requests/${text}` })
    return [{ id: 'request', label: t('palette.request', { id: text }), icon: 'requests', run: open }]
  }
  return commands.filter(({ label }) => text.split(/\s+/).every((word) => label.toLowerCase().includes(word)))
}
