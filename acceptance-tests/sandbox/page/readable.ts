/**
 * Runs in the page. Returns the visible texts with a contrast below 4.5:1. Skips options, which the browser draws itself.
 */
export const faintTexts = `(() => {
  const parse = (color) => {
    const [r, g, b, a = 1] = color.match(/-?[\\d.]+(?:e-?\\d+)?/g).map(Number);
    const scale = color.startsWith('color(') ? 255 : 1;
    return { rgb: [r * scale, g * scale, b * scale], a };
  };
  const over = (front, back) => front.rgb.map((part, i) => part * front.a + back[i] * (1 - front.a));
  const groundOf = (element) => {
    if (element === null) return [255, 255, 255];
    const color = parse(getComputedStyle(element).backgroundColor);
    return color.a === 1 ? color.rgb : over(color, groundOf(element.parentElement));
  };
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((part) => {
      const c = part / 255;
      return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const faint = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const text = walker.currentNode.data.trim();
    if (text === '' || element.matches('script, noscript, option') || !element.checkVisibility()) continue;
    const ground = groundOf(element);
    const ink = over(parse(getComputedStyle(element).color), ground);
    const [dark, bright] = [luminance(ink), luminance(ground)].toSorted((a, b) => a - b);
    const contrast = (bright + 0.05) / (dark + 0.05);
    if (contrast < 4.5) faint.push(text.slice(0, 40) + ': ' + contrast.toFixed(2));
  }
  return faint;
})()`;
