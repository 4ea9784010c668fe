/**
 * The script of the pages of `view`. The pages are readable without it. It fills parts of long texts near the window, handles
 * keys, and sends edits of the drop list.
 */

/** Parts this near to the window are filled. */
const NEAR = '1200px 0px';

/** Parts that wait for their content. */
const requested = new Map<Element, Promise<void>>();

/** Fills a part of a text with markup of this server, in which every id and text is escaped. */
function fill(part: HTMLElement): Promise<void> {
  const filled = requested.get(part) ?? fetchPart(part);
  requested.set(part, filled);
  return filled;
}

async function fetchPart(part: HTMLElement): Promise<void> {
  const address = part.closest<HTMLElement>('[data-parts]')!.dataset.parts;
  part.ariaBusy = 'true';
  const response = await fetch(`${address}&part=${part.dataset.part}`);
  part.ariaBusy = null;
  if (!response.ok) return;
  part.innerHTML = await response.text();
  delete part.dataset.later;
  part.style.height = '';
}

function watchParts(): void {
  const watcher = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting || !(target instanceof HTMLElement)) continue;
        watcher.unobserve(target);
        void fill(target);
      }
    },
    { rootMargin: NEAR },
  );
  for (const part of document.querySelectorAll('[data-later]')) watcher.observe(part);
}

function say(text: string, isError = false): void {
  const message = document.getElementById('message')!;
  message.textContent = text;
  message.classList.toggle('error', isError);
}

/** The key under which a message is stored while the page is reloaded. */
const MESSAGE_KEY = 'mr-minhash message';

async function edit(body: object): Promise<void> {
  const response = await fetch('edit', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as {
    readonly message?: string;
    readonly error?: string;
    readonly lost?: readonly string[];
    readonly losses?: number;
  };
  if (answer.lost !== undefined && (await mayLose(answer.lost, answer.losses ?? 0))) {
    await edit({ ...body, lose: true });
    return;
  }
  if (answer.error !== undefined) {
    say(answer.error, true);
    return;
  }
  sessionStorage.setItem(MESSAGE_KEY, answer.message ?? '');
  location.reload();
}

/** Asks the user whether texts may be lost; false unless the user agrees. */
function mayLose(lost: readonly string[], total: number): Promise<boolean> {
  const dialog = document.getElementById('ask') as HTMLDialogElement;
  const items = lost.map((id) => {
    const item = document.createElement('li');
    item.className = 'id';
    item.textContent = id;
    return item;
  });
  if (total > lost.length) {
    const item = document.createElement('li');
    item.textContent = `and ${total - lost.length} more`;
    items.push(item);
  }
  document.getElementById('ask-what')!.replaceChildren(...items);
  return new Promise((resolve) => {
    document.getElementById('ask-yes')!.onclick = () => {
      resolve(true);
      dialog.close();
    };
    document.getElementById('ask-no')!.onclick = () => dialog.close();
    // After another answer this has no effect: a promise is settled once.
    dialog.onclose = () => resolve(false);
    dialog.showModal();
  });
}

const numbersIn = (list: string): number[] => list.split(' ').filter(Boolean).map(Number);

/** Numbers of the ticked documents. */
const ticked = (): number[] =>
  [...document.querySelectorAll<HTMLInputElement>('[data-tick]:checked')].map(({ dataset }) =>
    Number(dataset.tick),
  );

function watchEdits(): void {
  say(sessionStorage.getItem(MESSAGE_KEY) ?? '');
  sessionStorage.removeItem(MESSAGE_KEY);
  document.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest('button') : null;
    if (button === null) return;
    const { keep, drop, undo, ticked: isOfTicked } = button.dataset;
    if (keep !== undefined) void edit({ keep: numbersIn(keep), drop: numbersIn(drop ?? '') });
    else if (isOfTicked !== undefined) void edit({ drop: ticked() });
    else if (undo !== undefined) void edit({ undo: true });
    else if (button.id === 'keys') showKeys();
  });
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.dataset.tick === undefined) return;
    document.querySelector<HTMLButtonElement>('[data-ticked]')!.disabled = ticked().length === 0;
  });
}

function showKeys(): void {
  const help = document.getElementById('help');
  if (help instanceof HTMLDialogElement && !help.open) help.showModal();
}

/** What the keys j and k move through, in the order of the page: differences of two texts, and parts with some that are not filled; or rows. */
const STEPS =
  '.whole .different, .whole [data-later]:not([data-differences="0"]), body:not(:has(.whole)) .long tbody tr';

async function step(by: 1 | -1): Promise<void> {
  for (;;) {
    const steps = [...document.querySelectorAll<HTMLElement>(STEPS)];
    const at = steps.findIndex((row) => row.classList.contains('current'));
    const next = steps[at < 0 ? 0 : at + by];
    if (next === undefined || next.dataset.later === undefined) return mark(next);
    await fill(next);
    if (next.dataset.later !== undefined) return;
  }
}

function mark(row: HTMLElement | undefined): void {
  if (row === undefined) return;
  document.querySelector('.current')?.classList.remove('current');
  row.classList.add('current');
  row.tabIndex = -1;
  row.focus({ preventScroll: true });
  row.scrollIntoView({ block: 'center' });
}

function watchKeys(): void {
  document.addEventListener('keydown', (event) => {
    const target = event.target;
    const isTyping = target instanceof HTMLInputElement && !['range', 'checkbox'].includes(target.type);
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    const search = document.getElementById('search');
    if (event.key === 'j') void step(1);
    else if (event.key === 'k') void step(-1);
    else if (event.key === 'u') void edit({ undo: true });
    else if (event.key === 'g') location.assign('.');
    else if (event.key === '?') showKeys();
    else if (event.key === 'Enter' && target instanceof HTMLTableRowElement)
      target.querySelector<HTMLElement>('a[href]')?.click();
    else if (event.key === '/') {
      event.preventDefault();
      if (search === null) location.assign('clusters?find');
      else search.focus();
    }
  });
  if (new URL(location.href).searchParams.has('find')) document.getElementById('search')?.focus();
}

watchParts();
watchEdits();
watchKeys();
