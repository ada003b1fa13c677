/// English chat texts, written by hand for these tests before any dictionary was made: nothing is trained on them.
enum EnglishTexts {
  static let lines: [String] = text.split(separator: "\n").map(String.init)

  /// Written when the dictionaries were finished: nothing was chosen by looking at these.
  static let later: [String] = laterText.split(separator: "\n").map(String.init)

  private static let laterText = """
    The lift is stuck between two floors, we are calling somebody
    Grandma wants to video chat, can you show her how it works?
    Left my umbrella on the tram again, third time this year
    The coach said practice is cancelled because of the frost
    Which of the two lamps do you like more, brass or black?
    I walked the dog already but he still wants to go out
    They raised the rent again, maybe it's time to look around
    Can we swap shifts on Friday? I have a wedding to attend
    The log shows nothing strange until a quarter past three
    Two goats are blocking the lane, honk won't help, so patience
    Do you still have that recipe with the lentils and lemon?
    The photos from the lake came out really well this time
    Tide is coming in fast, please get the boats up the beach
    I booked the small court for us, bring your own racket
    He passed his driving test at the fourth attempt, finally!
    We are short of blankets at the gym, can anyone bring some?
    My train stands in a tunnel, so messages come in late
    The bakery round the corner has those almond rolls again
    Never mind the typo, everybody understood what you meant
    Could you water my plants while I'm away next week?
    """

  private static let text = """
    Running ten minutes late, the bus just sat at the bridge
    Did anyone feed the cat before we all left this morning?
    ok I'm outside, which door do I use? it's freezing out here
    Could you send me the invoice again? I can't open the first one
    The meeting got pushed to Thursday at 2, same room as before
    haha no way, he actually said that in front of everyone?
    We are almost at the top, the view is already worth it
    Please pick up some milk and bread on your way home
    My battery is at 4%, I'll write when I get to a charger
    Thanks so much for yesterday, the kids had a great time
    Is the road past the dam open again or still flooded?
    I left your jacket at reception, they close at six today
    Nobody picks up at the clinic, should we just drive there?
    Sounds good, let's meet at the fountain around half past seven
    The build is red again, looks like somebody broke the parser
    Happy birthday! Hope you get to sleep in and eat cake
    sorry for the late reply, I was on a plane all afternoon
    Weather says storm after four so we should head back by three
    Can you check whether the back window is closed? I forgot
    I think we should wait for Maria before we decide anything
    The printer on the second floor is out of paper and toner
    Good night everyone, see you at breakfast, don't be late
    Camp two here, all five of us are fine, radio is patchy
    What time does your train get in? I can come and fetch you
    That restaurant is closed on Mondays, let's try the other one
    I've pushed the fix, please pull and run the tests once more
    No worries, take your time, we haven't ordered yet anyway
    Does anybody have a spare tent? Ours got soaked last night
    Just landed, waiting for the bags, it may take a while
    The doctor said it's nothing serious, just rest and water
    How much do I owe you for the tickets? I'll transfer it now
    You were right, the key was under the blue flower pot
    Let me know when you're free to talk about the contract
    The water is off in the whole street until five o'clock
    I can't hear you at all, can you type it instead please
    We won 3-1! Jonas scored twice, you should have seen it
    Remind me to call the landlord about the heating tomorrow
    She isn't feeling well so we will stay home this weekend
    Turn left after the petrol station, then it's the white gate
    I'll bring the salad if somebody else takes care of drinks
    Still no signal at the cabin, only this mesh thing works
    Any news from the hospital? We are all thinking of you
    lol my phone corrected that, I meant the ferry not the fairy
    Your parcel is with the neighbours, flat 12, ring twice
    Do we need to bring our own chairs or are there benches?
    The password changed this morning, ask Priya for the new one
    I don't agree, but let's do it your way and see what happens
    Has anyone tested the new release on the old tablets yet?
    Lost sight of you after the second turn, where are you now?
    Great work on the slides, only the last chart looks odd
    There's a deer on the track, slow down before the bend
    I'm in the queue, there are about twenty people before me
    Could we move our call by an hour? My dentist is running late
    The keys are with the guard downstairs, just say my name
    Why is the group so quiet today, did everybody go skiing?
    Dinner is ready in fifteen, wash your hands and come down
    Need two volunteers for the stall on Saturday morning
    All good on our side, moving to the river crossing now
    I'd rather stay in tonight, it has been a very long week
    Check the photo I sent, is that the part you are missing?
    We ran out of fuel near the old mill, can someone help?
    Congratulations on the new job, you really deserve it!
    My mother asks whether you eat fish, she is cooking already
    The server came back by itself, I have no idea why
    Tell him the gate code is the same as last year please
    I'll be there in five, just parking the car round the corner
    Has the second team reported in? It's twenty past already
    The museum is free on the first Sunday, shall we go then?
    Wait, don't merge that yet, I found one more small problem
    It was lovely to see you both, safe drive back home
    """
}
