// Shows the copy buttons, which need scripts, and makes them work.
(function () {
  "use strict";
  var said = document.getElementById("copied");
  if (!navigator.clipboard) return;
  document.querySelectorAll("button.copy").forEach(function (button) {
    var word = button.firstElementChild;
    var code = button.parentElement.querySelector("code");
    var back;
    function tell(text) {
      word.textContent = text;
      said.textContent = text + button.lastElementChild.textContent + ".";
      clearTimeout(back);
      back = setTimeout(function () {
        word.textContent = "Copy";
        said.textContent = "";
      }, 2500);
    }
    button.hidden = false;
    button.addEventListener("click", function () {
      navigator.clipboard.writeText(code.textContent).then(
        function () {
          tell("Copied");
        },
        function () {
          getSelection().selectAllChildren(code);
          tell("Selected");
        }
      );
    });
  });
})();
